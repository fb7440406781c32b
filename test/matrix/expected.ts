import { isRole, refusedRoles, type Place, type Role } from './people-and-rules.ts';

/**
 * The expected outcome of every cell, written by hand from the rules:
 *
 *     .    at once                         ?    is refused as if it did not exist
 *     v    at once, after a review       n    no rule allows it; told whom one lets
 *     v1   reviewed, then one lead             d1   the rule of that name forbids it; told whom others let
 *     v2!  seen, then two leads; a reason  u    may not be used at all
 *     va   seen, then one other who may    x    is invalid: refused for what it says
 *
 * Guests, bots, strangers and deactivated people have no column: they are refused in every row.
 */
const submitting = `
                                 ana  ana2 chi  kim  lost gil  gil2 rob  eve  hal  lets
logs              live           .    .    .    .    ?    .    .    .    ?    ?
logs              staging        .    .    .    .    ?    .    .    .    ?    ?
logs              new            .    .    .    .    ?    .    .    .    ?    ?
logs              vault          ?    ?    .    .    ?    .    .    .    ?    ?
logs              blog           .    .    .    .    ?    .    .    .    ?    .
logs              secret         ?    .    .    .    ?    .    .    ?    ?    ?
logs              orphan         ?    ?    .    .    ?    .    .    ?    ?    ?
logs              missing        ?    ?    ?    ?    ?    ?    ?    ?    ?    ?
changes           live           .    .    .    .    ?    .    .    .    ?    ?
changes           vault          ?    ?    .    .    ?    .    .    .    ?    ?
changes           blog           .    .    .    .    ?    .    .    .    ?    .
changes           secret         ?    .    .    .    ?    .    .    ?    ?    ?
changes           missing        ?    ?    ?    ?    ?    ?    ?    ?    ?    ?
cache-clear       live           .    .    .    .    ?    .    .    n    ?    ?    bloggers+developers+leads
cache-clear       staging        .    .    .    .    ?    .    .    n    ?    ?    bloggers+developers+leads
cache-clear       new            .    .    .    .    ?    .    .    n    ?    ?    bloggers+developers+leads
cache-clear       vault          ?    ?    .    .    ?    .    .    n    ?    ?    bloggers+developers+leads
cache-clear       blog           .    .    .    .    ?    .    .    n    ?    .    bloggers+developers+leads
cache-clear       secret         ?    .    .    .    ?    .    .    ?    ?    ?
cache-clear       orphan         ?    ?    .    .    ?    .    .    ?    ?    ?
cache-clear       missing        ?    ?    ?    ?    ?    ?    ?    ?    ?    ?
allowlist-add     live           v1   v1   v1   v1   ?    d2   d2   n    ?    ?    bloggers+developers+leads
allowlist-add     staging        .    n    n    n    ?    d2   d2   n    ?    ?    bloggers+developers
allowlist-add     new            v    n    n    n    ?    d2   d2   n    ?    ?    bloggers+developers
allowlist-add     vault          ?    ?    n    n    ?    d2   d2   n    ?    ?    bloggers
allowlist-add     blog           v1   v1   v1   v1   ?    d2   d2   n    ?    v    bloggers+developers+leads
allowlist-add     secret         ?    v1   v1   v1   ?    d2   d2   ?    ?    ?    bloggers+developers+leads
allowlist-add     orphan         ?    ?    n    n    ?    d2   d2   ?    ?    ?    bloggers
allowlist-add     missing        ?    ?    ?    ?    ?    ?    ?    ?    ?    ?
push              live           v2!  n    n    n    ?    d2   d2   n    ?    ?    developers
push              staging        n    n    n    n    ?    d2   d2   n    ?    ?
push              new            v2!  n    n    n    ?    d2   d2   n    ?    ?    developers
push              vault          ?    ?    n    n    ?    d2   d2   n    ?    ?
push              blog           n    n    n    n    ?    d2   d2   n    ?    n
push              secret         ?    n    n    n    ?    d2   d2   ?    ?    ?
push              orphan         ?    ?    x    x    ?    x    x    ?    ?    ?
push              missing        ?    ?    ?    ?    ?    ?    ?    ?    ?    ?
push-from-vault   live           ?    ?    n    n    ?    d2   d2   n    ?    ?    developers
push-from-secret  live           ?    x    x    x    ?    x    x    ?    ?    ?
push-from-missing live           ?    ?    ?    ?    ?    ?    ?    ?    ?    ?
delete            live           d1   d1   d1   d1   ?    d1   d1   d1   ?    ?
delete            staging        n    va   va   va   ?    d2   d2   n    ?    ?    bloggers+leads
delete            new            n    va   va   va   ?    d2   d2   n    ?    ?    bloggers+leads
delete            vault          ?    ?    va   va   ?    d2   d2   n    ?    ?    bloggers+leads
delete            blog           d1   d1   d1   d1   ?    d1   d1   d1   ?    d1
delete            blogStaging    n    va   va   va   ?    d2   d2   n    ?    va   bloggers+leads
delete            secret         ?    d1   d1   d1   ?    d1   d1   ?    ?    ?
delete            orphan         ?    ?    d1   d1   ?    d1   d1   ?    ?    ?
delete            missing        ?    ?    ?    ?    ?    ?    ?    ?    ?    ?
lock              live           n    .    .    .    ?    .    .    n    ?    ?    bloggers+leads
lock              vault          ?    ?    .    .    ?    .    .    n    ?    ?    bloggers+leads
lock              blog           n    n    n    n    ?    n    n    n    ?    .    bloggers
lock              secret         ?    n    n    n    ?    n    n    ?    ?    ?    bloggers
lock              orphan         ?    ?    n    n    ?    n    n    ?    ?    ?    bloggers
lock              missing        ?    ?    ?    ?    ?    ?    ?    ?    ?    ?
audit             live           n    .    .    .    ?    .    .    n    ?    ?    leads
audit             vault          ?    ?    .    .    ?    .    .    n    ?    ?    leads
audit             blog           n    n    n    n    ?    n    n    n    ?    n
audit             secret         ?    n    n    n    ?    n    n    ?    ?    ?
audit             missing        ?    ?    ?    ?    ?    ?    ?    ?    ?    ?
audit             -              u    .    .    .    u    .    .    u    u    u
pause             -              n    .    .    .    u    d2   d2   n    u    n    leads
resume            -              n    n    n    n    u    n    n    n    u    n
environments      -              .    .    .    .    u    .    .    .    u    .
whoami            -              .    .    .    .    .    .    .    .    .    .
dns-set           blogDomain     v    n    n    n    ?    d2   d2   n    ?    v    bloggers+developers
dns-set           shopDomain     ?    ?    n    n    ?    d2   d2   n    ?    ?    bloggers+developers
dns-set           nowhere        ?    ?    n    n    ?    d2   d2   ?    ?    ?    bloggers
dns-set           missingDomain  ?    ?    ?    ?    ?    ?    ?    ?    ?    ?
clone             -              n    v1   v1   v1   u    d2   d2   n    u    v    bloggers+leads
`;

/** Who can name what. */
export const readable: Readonly<Partial<Record<Role, readonly Place[]>>> = {
  ana: ['live', 'staging', 'new', 'blog', 'blogStaging', 'blogDomain'],
  ana2: ['live', 'staging', 'new', 'blog', 'blogStaging', 'secret', 'secretStaging', 'blogDomain'],
  chi: [
    'live',
    'staging',
    'new',
    'vault',
    'blog',
    'blogStaging',
    'secret',
    'secretStaging',
    'orphan',
    'blogDomain',
    'shopDomain',
    'nowhere',
  ],
  kim: [
    'live',
    'staging',
    'new',
    'vault',
    'blog',
    'blogStaging',
    'secret',
    'secretStaging',
    'orphan',
    'blogDomain',
    'shopDomain',
    'nowhere',
  ],
  lost: [],
  gil: [
    'live',
    'staging',
    'new',
    'vault',
    'blog',
    'blogStaging',
    'secret',
    'secretStaging',
    'orphan',
    'blogDomain',
    'shopDomain',
    'nowhere',
  ],
  gil2: [
    'live',
    'staging',
    'new',
    'vault',
    'blog',
    'blogStaging',
    'secret',
    'secretStaging',
    'orphan',
    'blogDomain',
    'shopDomain',
    'nowhere',
  ],
  rob: ['live', 'staging', 'new', 'vault', 'blog', 'blogStaging', 'blogDomain', 'shopDomain'],
  eve: [],
  hal: ['blog', 'blogStaging', 'blogDomain'],
};

/** The commands that help and App Home show, by person. */
const offering = `
                  ana  ana2 chi  kim  lost gil  gil2 rob  eve  hal
logs           -  yes  yes  yes  yes  no   yes  yes  yes  no   yes
changes        -  yes  yes  yes  yes  no   yes  yes  yes  no   yes
cache-clear    -  yes  yes  yes  yes  no   yes  yes  no   no   yes
allowlist-add  -  yes  yes  yes  yes  no   no   no   no   no   yes
push           -  yes  no   no   no   no   no   no   no   no   no
delete         -  no   yes  yes  yes  no   no   no   no   no   yes
lock           -  no   yes  yes  yes  no   yes  yes  no   no   yes
audit          -  no   yes  yes  yes  no   yes  yes  no   no   no
pause          -  no   yes  yes  yes  no   no   no   no   no   no
resume         -  no   no   no   no   no   no   no   no   no   no
environments   -  yes  yes  yes  yes  no   yes  yes  yes  no   yes
whoami         -  yes  yes  yes  yes  yes  yes  yes  yes  yes  yes
`;

/**
 * What a click on a decision button comes to: `own` change, `no` approver, `d2` forbids it, `?` no such change, `only`
 * the requester may, `may` not do it themselves, too `late` or `early`, `vote` counts and more are needed, `reviewed`,
 * or the state it moves to.
 */
const clicking = `
                                ana  ana2 ben  chi  chi2 dee  kim  lost gil  gil2 rob  eve  hal
approve       one-lead          own  own  no   approved approved approved approved ? d2 d2 no ? ?
decline       one-lead          own  own  no   declined declined declined declined ? d2 d2 no ? ?
cancel        one-lead          cancelled cancelled only only only only only ? only only only ? ?
approve       two-leads         own  own  no   vote vote vote vote ?    d2   d2   no   ?    ?
decline       two-leads         own  own  no   declined declined declined declined ? d2 d2 no ? ?
cancel        two-leads         cancelled cancelled only only only only only ? only only only ? ?
approve       another           no   approved no own own approved approved ? d2 d2 no ? ?
decline       another           no   declined no own own declined declined ? d2 d2 no ? ?
cancel        another           only only only cancelled cancelled only only ? only only only ? ?
stop          cooling-down      cancelled cancelled cancelled cancelled cancelled cancelled cancelled ? cancelled cancelled cancelled ? ?
cancel        cooling-down      cancelled cancelled only only only only only ? only only only ? ?
approve       cooling-down      late late late late late late late ?    late late late ?    ?
happened      unknown           own  own  no   happened happened happened happened ? d2 d2 no ? ?
did-not-happen unknown          own  own  no   gone gone gone gone ?    d2   d2   no   ?    ?
happened      unknown-at-once   happened happened happened happened happened happened happened ? happened happened may ? ?
approve       glass             late late late late late late late ?    late late late ?    ?
stop          glass             cancelled cancelled cancelled cancelled cancelled cancelled cancelled ? cancelled cancelled cancelled ? ?
cancel        glass             cancelled cancelled only only only only only ? only only only ? ?
reviewed      glass             early early early early early early early ? early early early ? ?
happened      glass-unknown     own  own  no   happened happened happened happened ? d2 d2 no ? ?
reviewed      glass-unknown     early early early early early early early ? early early early ? ?
reviewed      glass-done        own  own  no   reviewed reviewed reviewed reviewed ? d2 d2 no ? ?
did-not-happen unknown-at-once  gone gone gone gone gone gone gone ?    gone gone may  ?    ?
`;

/** Whether what these people have approved may be sent, as they are at that moment. */
export const sending: readonly (readonly [
  change: 'one-lead' | 'two-leads' | 'another',
  voters: readonly Role[],
  sent: boolean,
])[] = [
  ['one-lead', [], false],
  ['one-lead', ['chi'], true],
  ['one-lead', ['chi2'], true],
  ['one-lead', ['dee'], true],
  ['one-lead', ['kim'], true],
  ['one-lead', ['lost'], false],
  ['one-lead', ['gil'], false],
  ['one-lead', ['gil2'], false],
  ['one-lead', ['ana'], false],
  ['one-lead', ['ana2'], false],
  ['one-lead', ['ana', 'ana2'], false],
  ['one-lead', ['ben'], false],
  ['one-lead', ['rob'], false],
  ['one-lead', ['eve'], false],
  ['one-lead', ['hal'], false],
  ['one-lead', ['gil', 'rob', 'dee'], true],
  ['two-leads', ['chi'], false],
  ['two-leads', ['chi', 'dee'], true],
  ['two-leads', ['chi', 'kim'], true],
  ['two-leads', ['chi', 'chi2'], false],
  ['two-leads', ['chi', 'ana2'], false],
  ['two-leads', ['chi', 'lost'], false],
  ['two-leads', ['chi', 'gil2'], false],
  ['two-leads', ['ana2', 'gil', 'dee'], false],
  ['another', [], false],
  ['another', ['ana2'], true],
  ['another', ['dee'], true],
  ['another', ['kim'], true],
  ['another', ['lost'], false],
  ['another', ['chi'], false],
  ['another', ['chi2'], false],
  ['another', ['gil'], false],
  ['another', ['ana'], false],
  ['another', ['rob'], false],
  // A rule lets this person delete everywhere, but not read this.
  ['another', ['hal'], false],
];

/** One cell of a table. */
export type Cell = { readonly row: readonly [string, string]; readonly role: Role; readonly says: string };

/** The cells of a table; refused people get nothing in every row. */
function cellsOf(table: string, last?: string): readonly Cell[] {
  const [head = [], ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const columns = head.filter(isRole);
  return rows.flatMap(([one = '', other = '', ...answers]) => {
    if (last === undefined ? answers.length !== columns.length : answers.length < columns.length)
      throw new Error(`the row ${one} ${other} is not whole`);
    const lets = answers[columns.length]?.replaceAll('+', ' and ');
    const known = columns.map((role, at) => {
      const code = answers[at] ?? '';
      const namesOthers = (code === 'n' || code === 'd2') && last !== undefined;
      return { row: [one, other], role, says: namesOthers ? `${code}: ${lets ?? 'nobody'}` : code } as const;
    });
    return [...known, ...refusedRoles.map((role) => ({ row: [one, other], role, says: '!' }) as const)];
  });
}

export const submits = cellsOf(submitting, 'lets');
export const clicks = cellsOf(clicking);
export const offers = cellsOf(offering);
