/** A mutant that no test kills, and why that is acceptable. */
export type Survivor = {
  /** The line it begins in, as in the file. */
  readonly line: string;
  /** Original → replacement, on one line. */
  readonly mutant: string;
  /** `equivalent`: behaves the same; `not worth it`: a test would cost more than it is worth. */
  readonly why: 'equivalent' | 'not worth it';
  readonly because: string;
};

/** Several survivors of one line with one reason. Survivors that look the same are listed once each. */
const all = (
  why: Survivor['why'],
  because: string,
  line: string,
  ...mutants: readonly [string, ...string[]]
): readonly Survivor[] => mutants.map((mutant) => ({ line, mutant, why, because }));

const same = all.bind(undefined, 'equivalent');

/** All accepted survivors, by file. `npm run mutate` fails for any other, and for one that was killed. */
export const survivors: Readonly<Record<string, readonly Survivor[]>> = {
  'src/change/approve.ts': [
    ...same(
      'Only a right that is refused has a reason; of the others it is undefined.',
      "if (right.kind === 'may not' && right.why === 'unknown')",
      "right.kind === 'may not' → true",
    ),
    ...same(
      'Only a right that is refused has a reason; of the others it is undefined.',
      "const others = refusalText(voting, right.kind === 'may not' ? right.why : undefined, verb);",
      "right.kind === 'may not' → true",
    ),
  ],
  'src/change/may-end.ts': [
    ...same(
      'A string is not a decision: it allows nothing and depends on no group.',
      "const own = approvals.includes('none') ? [decideAccess(policy, by, asked)] : [];",
      '[] → ["Stryker was here"]',
    ),
  ],
  'src/change/post-review.ts': [
    ...all(
      'not worth it',
      'A time without its day: the tests read plain words, which have it anyway.',
      "const says = review && say`reviewed by ${mention(review.by)}, ${time(review.at, 'date')}: “${review.says}”`;",
      '\'date\' → ""',
    ),
  ],
  'src/policy/freezes.ts': [
    ...same(
      'It is asked only of freezes with an exception: the others hold everybody.',
      "const approvalIn = ({ except }: Freeze) => except?.approval ?? 'none';",
      '\'none\' → ""',
      'except?.approval → except.approval',
    ),
    ...same('Nobody is in a group of that name.', 'const to = except?.to ?? [];', '[] → ["Stryker was here"]'),
    ...same(
      'It comes to the same end in shorter steps.',
      'end = Math.max(...untils);',
      'Math.max(...untils) → Math.min(...untils)',
    ),
    ...same(
      'Some freeze is in force, so there is a first one.',
      'const [first = [], ...others] = freezes.map(groupsIn);',
      '[] → ["Stryker was here"]',
    ),
  ],
  'src/policy/freeze-time.ts': [
    ...same(
      'A wider look finds the same spans, and takes longer.',
      'return (spans.length > 1 ? spans : spansAround(time, at, maxWeeks)).find(isIn);',
      'spans.length > 1 → false',
    ),
    ...same(
      'What begins in the last week is not looked for.',
      'for (let week = now - weeks; week <= now + weeks; week += 1)',
      'week <= now + weeks → week < now + weeks',
    ),
    ...same(
      'How much is remembered changes only the time that it takes.',
      'const known = cached<Weekly, Map<number, readonly FreezeSpan[]>>(() => new BoundedMap(4 * maxWeeks + 4));',
      '4 * maxWeeks + 4 → 4 * maxWeeks - 4',
      '4 * maxWeeks → 4 / maxWeeks',
    ),
    ...same('Remembering changes only the time that it takes.', 'if (found) return found;', 'found → false'),
    ...same(
      'Remembering changes only the time that it takes.',
      'known(time).set(week, made);',
      'known(time).set(week, made); → ;',
    ),
  ],
  'src/words/written-time.ts': [
    ...same(
      'Neither is a length of time.',
      "const ms = parseDuration(/^in (.+)/i.exec(written)?.[1] ?? '');",
      '\'\' → "Stryker was here!"',
    ),
    ...same(
      'Neither is an hour.',
      "function clockOf({ hour = '', minutes, half }: Readonly<Record<string, string | undefined>>): Clock | undefined {",
      '\'\' → "Stryker was here!"',
    ),
    ...same(
      'A clock shows the same a day earlier.',
      'const other = time + 12 * hourMs;',
      'time + 12 * hourMs → time - 12 * hourMs',
    ),
    ...same(
      'No clock ever shows a time that it skips.',
      'const isOver = first === undefined ? local <= shownAt(zone, now) : first <= now;',
      'local <= shownAt(zone, now) → local < shownAt(zone, now)',
    ),
    ...same(
      'A day that is over is that of the next week.',
      'return { start: today + ((weekday - new Date(today).getUTCDay() + 7) % 7) * dayMs, again: 7 * dayMs };',
      'weekday - new Date(today).getUTCDay() + 7 → weekday - new Date(today).getUTCDay() - 7',
    ),
  ],
  'src/change/freeze-check.ts': [
    ...same(
      'What meets no freeze is as free as a way back; only a read is spared.',
      "decision.kind === 'open' && decision.names.length === 0 && decision.openUntil === undefined;",
      "decision.kind === 'open' && decision.names.length === 0 && d … l === undefined → false",
      '\'open\' → ""',
    ),
    ...same(
      'What meets no freeze is as free as a way back; only a read is spared.',
      'const isOpen = (decision: FreezeDecision): boolean =>',
      "(decision: FreezeDecision): boolean => decision.kind === 'op … l === undefined → () => undefined",
    ),
    ...same(
      'No freeze holds what is no action.',
      "if (command.shape !== 'action' || command.access !== undefined || isOpen(decision)) return decision;",
      "command.shape !== 'action' → false",
    ),
    ...same(
      'No change has either target.',
      ": { target: target ? targetKey(target) : '', args: storedArgs(resolved), from: at };",
      '\'\' → "Stryker was here!"',
    ),
  ],
  'src/access/freeze-words.ts': [
    ...same(
      'Undefined is before no time.',
      'openUntil !== undefined && openUntil < until',
      'openUntil !== undefined → true',
    ),
  ],
  'src/access/assert-channel.ts': [
    ...same(
      'The company has no site anyhow; the types cannot see that.',
      "const siteOf = (target: Target): string | undefined => (target.kind === 'company' ? undefined : target.site?.name);",
      "target.kind === 'company' → false",
      '\'company\' → ""',
    ),
  ],
  'src/access/access-check.ts': [
    ...same(
      'No rule can name either.',
      "const isReader = mayAnywhere(policy, person, { path: '', risk: 'read' });",
      '\'\' → "Stryker was here!"',
    ),
  ],
  'src/send/evidence.ts': [
    ...same(
      'The word `trouble` has no verdict, so it proves nothing.',
      "const proof = observed.proof === 'trouble' ? undefined : observed.proof;",
      "observed.proof === 'trouble' → false",
      '\'trouble\' → ""',
    ),
  ],
  'src/change/write-result.ts': [
    ...same(
      'JSON reads null as null.',
      'receipt === null ? undefined : parseStored<Receipt>(receipt);',
      'receipt === null → false',
    ),
  ],
  'src/access/may-run.ts': [
    ...same(
      'Only built-in commands have such a right, or affect everything; the types cannot see that.',
      "if (command.shape === 'builtin' && command.right === 'anyone') return false;",
      "command.shape === 'builtin' → true",
    ),
    ...same(
      'Only built-in commands have such a right, or affect everything; the types cannot see that.',
      "return target !== undefined || (command.shape === 'builtin' && command.everywhere === true);",
      "command.shape === 'builtin' → true",
    ),
    ...same(
      'Only commands about the context are open to anyone, and none of them affects everything.',
      "if (command.shape === 'builtin' && !command.everywhere && command.right === 'anyone') return 'yes';",
      "command.shape === 'builtin' && !command.everywhere → true",
      "command.shape === 'builtin' && !command.everywhere → command.shape === 'builtin' || !command.everywhere",
      "command.shape === 'builtin' → true",
    ),
    ...same(
      'Anything but a built-in command with a target is decided, and none affects everything.',
      "if (command.shape === 'builtin' && (command.everywhere || !isDecided(command, target)))",
      "command.shape === 'builtin' → true",
    ),
    ...same(
      'Only reports can be narrowed; the types cannot see that.',
      "const isNarrowed = command.shape === 'report' && command.narrowedBy !== undefined;",
      "command.shape === 'report' → true",
    ),
    ...same(
      'Every target is a field of its command; the types cannot see that.',
      "if (field !== undefined && isName(field) && field.orDomain) return ['environment', 'domain'];",
      'field !== undefined → true',
      'field !== undefined && isName(field) → field !== undefined || isName(field)',
      'field !== undefined && isName(field) → true',
    ),
    ...same(
      'Every target is a field of its command, and is an environment or a domain; the types cannot see that.',
      "return [field?.kind === 'environment' || field?.kind === 'domain' ? field.kind : undefined];",
      "field?.kind === 'environment' || field?.kind === 'domain' → true",
      'field?.kind → field.kind',
      'field?.kind → field.kind',
    ),
    ...same(
      'No rule can name either.',
      "mayAnywhere(policy, person, { path: '', risk: 'read' })",
      '\'\' → "Stryker was here!"',
    ),
    ...same(
      'The path of a command is read in the same way if its words were quoted.',
      'const words = args.map((text) => ({ text, quoted: false }));',
      'false → true',
    ),
  ],
  'src/policy/approvers.ts': [
    ...same(
      'Nobody is not the same person as anybody; the types cannot see that.',
      "if ([requester, handedOnBy].some((id) => typeof id === 'string' && samePerson(policy, person.id, id))) return 'yes';",
      "typeof id === 'string' → true",
    ),
    ...same(
      'Votes are looked up by requirement, and a string is not one.',
      "const towards = weight.kind === 'counts' ? weight.towards : [];",
      '[] → ["Stryker was here"]',
    ),
  ],
  'src/policy/rules.ts': [
    ...same(
      'It is called only if there is a boundary; the types cannot see that.',
      'const inside = (site: string | undefined) => site !== undefined && bound?.some((glob) => matches(glob, site));',
      'bound?.some → bound.some',
    ),
    ...same(
      'Only environments are allowed under `live`; other entries are refused.',
      "(entry) => entry.kind === 'environment' && matchesSeen(entry.site, site) && matchesSeen(entry.environment, name),",
      "entry.kind === 'environment' → true",
    ),
    ...same(
      'When approvals are combined, any value but `required` means optional.',
      "export const defaultReason = 'optional';",
      '\'optional\' → ""',
    ),
  ],
  'src/policy/memberships.ts': [
    ...same(
      'No rule names it.',
      'const own = new Set(caller && isKnown(policy, id, caller) ? [`${callerPrefix}${caller.name}`] : []);',
      '[] → ["Stryker was here"]',
    ),
    ...same(
      'Any value but `yes` and `perhaps` means no, and what everyone may not depends on no group.',
      "if (to === 'everyone') return memberships.isCaller ? 'no' : 'yes';",
      '\'no\' → ""',
    ),
    ...same(
      'It is not an id, so it is in no group.',
      'const joined = namesOf([...(policy.people.get(person.id) ?? []), ...(person.joinedGroups ?? [])]);',
      '[] → ["Stryker was here"]',
      '[] → ["Stryker was here"]',
    ),
    ...same(
      'Without joined accounts both sets are the same.',
      'const any = joined.length === 0 ? own : new Set([...own, ...joined]);',
      'joined.length === 0 → false',
    ),
    ...same(
      'The file mentions no such user group.',
      '{ groups, joinedGroups = [], otherGroups = [] }: Member,',
      '[] → ["Stryker was here"]',
      '[] → ["Stryker was here"]',
    ),
    ...same('Nothing depends on such a user group.', 'without: readonly string[] = [],', '[] → ["Stryker was here"]'),
    ...same(
      'No group can be called everyone, or have a space in its name.',
      "const names = audiences.flatMap((to) => (to === 'everyone' ? [] : to));",
      "to === 'everyone' → false",
      '\'everyone\' → ""',
      '[] → ["Stryker was here"]',
    ),
  ],
  'src/policy/pattern.ts': [
    ...same(
      'Names with dots inside are seen as they are; the test is for speed.',
      "/[^ -~]|\\.$/.test(name) ? comparableName(name.replaceAll(everyUnseen, '')).replace(/\\.+$/, '') : name;",
      '/[^ -~]|\\.$/ → /[^ -~]|\\./',
    ),
    ...same(
      'What is seen as it is matches as it is; the test is for speed.',
      "matchesFolded(glob, name) || (effect === 'deny' && seen !== name && matchesFolded(glob, seen));",
      'seen !== name → true',
    ),
    ...same(
      'A split text always has a first part; the types cannot see that.',
      'if (left === undefined || right === undefined || more.length > 0) {',
      'left === undefined → false',
    ),
    ...same(
      'A glob has a piece at each place; the types cannot see that.',
      "const [head = ''] = glob;",
      '\'\' → "Stryker was here!"',
    ),
    ...same(
      'A glob has a piece at each place; the types cannot see that.',
      "const piece = glob[at] ?? '';",
      '\'\' → "Stryker was here!"',
    ),
    ...same(
      'A glob has a piece at each place; the types cannot see that.',
      "const tail = glob[last] ?? '';",
      '\'\' → "Stryker was here!"',
    ),
    ...same(
      'Anything but the company or a domain counts as an environment.',
      "return { kind: 'environment', site, environment: own === undefined ? undefined : foldName(own) };",
      '\'environment\' → ""',
    ),
    ...same(
      'A single piece is never empty: such a name is refused.',
      "const isAny = (glob: Glob): boolean => glob.length > 1 && glob.every((piece) => piece === '');",
      'glob.length > 1 → true',
      'glob.length > 1 → glob.length >= 1',
    ),
    ...same(
      'If the site is unknown, so is the environment.',
      "if (site === undefined || environment === undefined) return effect === 'deny';",
      'site === undefined → false',
    ),
  ],
  'src/policy/policy.ts': [
    ...same(
      'Whatever is no `allow` counts all ids.',
      "rulesOn(policy, command).deny.every(({ to }) => holds(to, memberships, 'deny') === 'no'),",
      '\'deny\' → ""',
    ),
    ...same(
      'The right to a report is checked by its name, and this is a report.',
      "decideAccess(policy, person, { command: readingAnything, aims: [{ target, access: 'read' }] });",
      '\'read\' → ""',
    ),
    ...same(
      'Any value but `some` means all.',
      "const everywhere = rules.deny.filter(({ where }) => reaches(where, kind, 'all'));",
      '\'all\' → ""',
    ),
    ...same(
      'Whatever is no `allow` counts all ids.',
      "if (everywhere.some(({ to }) => holds(to, memberships, 'deny') === 'yes')) return 'no';",
      '\'deny\' → ""',
    ),
    ...same(
      'It names no group.',
      "const then = needed === 'none' ? [] : needed.requirements;",
      '[] → ["Stryker was here"]',
    ),
    ...same(
      'It names no group.',
      "const by = [...then, ...now].flatMap((one) => (one === 'none' ? [] : [groupsEver(one)]));",
      '[] → ["Stryker was here"]',
    ),
    ...same(
      'Without uncertain rules both approvals are the same.',
      'if (unsure.length === 0) return { ...all, approval: certain, unsure: none };',
      'unsure.length === 0 → false',
    ),
  ],
  'src/policy/approval-requirement.ts': [
    ...same(
      'Only an approval by groups can say whom it notifies; the types cannot see that.',
      "if (by === 'allowed' || (notify === undefined && former?.notify === undefined)) return undefined;",
      "by === 'allowed' → false",
      '\'allowed\' → ""',
    ),
    ...same(
      'Only an approval by groups escalates; the types cannot see that.',
      "if (by === 'allowed' || escalate === undefined || waited < escalate.after) return requirement;",
      "by === 'allowed' → false",
      '\'allowed\' → ""',
    ),
  ],
  'src/policy/matching.ts': [
    ...same(
      'Whatever is no `allow` counts all ids.',
      "const is = holds(rule.to, memberships, 'deny');",
      '\'deny\' → ""',
    ),
    ...same('It names no group.', 'const perhaps: Audience[] = [];', '[] → ["Stryker was here"]'),
    ...same('Without the cache the result is the same, only slower.', 'if (found) return found;', 'found → false'),
    ...same(
      'Without the cache the result is the same, only slower.',
      'known.set(key, made);',
      'known.set(key, made); → ;',
    ),
    ...same(
      'A rule that asks for nothing more never makes one stricter; it is skipped for speed.',
      "approvalBy(rule, command) !== 'none' || rule.canary || rule.batchValidity !== undefined;",
      "approvalBy(rule, command) !== 'none' || rule.canary || rule. … y !== undefined → true",
      '\'none\' → ""',
    ),
    ...same(
      'A rule that asks for nothing more never makes one stricter; it is skipped for speed.',
      'const matters = (rule: Rule): boolean => certain.length === 0 || saysMore(rule);',
      'certain.length === 0 || saysMore(rule) → true',
    ),
    ...same(
      'If a rule does not name the person, no unknown group adds them; it is skipped for speed.',
      "if (is === 'no' || !coversQuestion(rule, question)) continue;",
      "is === 'no' → false",
      '\'no\' → ""',
    ),
    ...same(
      'No rule can name either.',
      "export const readingAnything: PolicyCommand = { path: '', risk: 'read' };",
      '\'\' → "Stryker was here!"',
    ),
  ],
  'src/policy/unsatisfiable.ts': [
    ...same(
      'Every caller that a rule names is in the file; the types cannot see that.',
      'const callers = named.flatMap((name) => policy.callers.get(name.slice(callerPrefix.length)) ?? []);',
      '[] → ["Stryker was here"]',
    ),
    ...same(
      'Nothing allows such a person; if a user group is unknown, no approver is counted.',
      '.flatMap((id) => (isUserGroup(id) ? (members.get(id) ?? []) : [id]))',
      '[] → ["Stryker was here"]',
    ),
    ...same(
      'Nothing allows such a person.',
      "return new Set(everywhere.flatMap(({ to }) => (to === 'everyone' ? [] : known(to))));",
      '[] → ["Stryker was here"]',
    ),
  ],
  'src/policy/callers.ts': [
    ...same(
      'No operator is such a user group.',
      'const { groups, joinedGroups = [], otherGroups = [] } = person;',
      '[] → ["Stryker was here"]',
      '[] → ["Stryker was here"]',
    ),
  ],
};
