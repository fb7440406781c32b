import { actors, channelsOf, directMessageId } from './directory.ts';
import { ask } from './api.ts';
import { type Child, fill, h } from './dom.ts';
import type { Session } from './session.ts';
import type { Delivered, BotChange, ProgramRun, ProgramRuns } from './shapes.ts';

/** One step of the tour: what to do, as whom and where. `line` is put into the composer for the reader to send. */
type Step = {
  readonly says: string;
  readonly as: string;
  readonly at: 'channel' | 'home';
  readonly line?: string;
  /** The program that the step runs; its lines are shown beside it. */
  readonly runs?: keyof ProgramRuns;
  /** Whether the step was done, judged by Slack's deliveries and the bot's changes. */
  readonly isDone: (observed: Observed) => boolean;
};

type Observed = {
  readonly delivered: readonly Delivered[];
  readonly changes: readonly BotChange[];
  readonly programs: ProgramRuns;
};

const typed =
  (line: string) =>
  ({ delivered }: Observed): boolean =>
    delivered.some(({ did }) => did.startsWith(`typed ${line}`));
const moved =
  (command: string, event: string) =>
  ({ changes }: Observed): boolean =>
    changes.some((one) => one.command === command && one.steps.some((step) => step.event === event));

const ended =
  (program: keyof ProgramRuns) =>
  ({ programs }: Observed): boolean =>
    programs[program]?.code !== undefined;

const STEPS: readonly Step[] = [
  {
    says: 'Read the error log of a live shop. Errors are grouped, the most frequent first. Only Ana sees the answer.',
    as: 'Ana',
    at: 'channel',
    line: '/site logs acme-shop/live',
    isDone: typed('/site logs'),
  },
  {
    says: 'Change something small. Everybody sees the card, and its thread says what happens next.',
    as: 'Ana',
    at: 'channel',
    line: '/site cache clear acme-shop/staging',
    isDone: moved('cache clear', 'asked'),
  },
  {
    says: 'Push staging to live. The form says what will be lost and asks you to type the name. Nothing is sent yet.',
    as: 'Ana',
    at: 'channel',
    line: '/site push acme-shop/staging acme-shop/live --database',
    isDone: moved('push', 'asked'),
  },
  {
    says: 'A lead has to approve. Act as Chi: it waits on the Home tab. You have ten seconds to stop it, then it is sent once.',
    as: 'Chi',
    at: 'home',
    isDone: moved('push', 'approve'),
  },
  {
    says: 'A pipeline asks, too: a push, from its terminal. You act as Chi here: it waits until you press Approve on the card.',
    as: 'Chi',
    at: 'channel',
    runs: 'pipeline',
    isDone: ended('pipeline'),
  },
  {
    says: 'An agent reads the log, and proposes. It has no tool that approves; Chi has the button.',
    as: 'Chi',
    at: 'channel',
    runs: 'agent',
    isDone: ended('agent'),
  },
  {
    says: 'Ask what happened. The audit trail has every step, who did it and which rule allowed it.',
    as: 'Chi',
    at: 'channel',
    line: '/site audit',
    isDone: typed('/site audit'),
  },
];

const STORAGE_KEY = 'tour';
const DISMISSED = 'over';

/** A short guided tour above the composer. Once dismissed, it stays hidden. */
export type Tour = {
  draw(): void;
  /** Takes in what happened, ticks the step if it is done, and goes on after a later one that has been done. */
  observe(news: Partial<Observed>): void;
};

/** The tour, drawn into `element`. */
export function createTour(session: Session, element: HTMLElement): Tour {
  let observed: Observed = { delivered: [], changes: [], programs: {} };
  const terminal = h('pre', { role: 'log', 'aria-label': 'Terminal of the program', tabindex: '0' });
  const personFor = ({ as }: Step): string | undefined =>
    actors(session.directory).find(({ display_name }) => display_name === as)?.id;
  const draw = (): void => {
    const at = reached();
    const step = at === undefined ? undefined : STEPS[at];
    const who = step && personFor(step);
    // The tour needs its people; a rehearsed workspace may lack them.
    element.hidden = who === undefined || !STEPS.every((one) => personFor(one) !== undefined);
    if (element.hidden || at === undefined || step === undefined || who === undefined) return fill(element);
    fill(element, ...drawStep(at, step, step.isDone(observed), () => show(session, step, who), goTo), terminal);
    drawTerminal();
  };
  const drawTerminal = (): void => {
    const { runs } = STEPS[reached() ?? -1] ?? {};
    const run = runs && observed.programs[runs];
    terminal.hidden = run === undefined;
    terminal.textContent = run ? linesOf(run) : '';
    terminal.scrollTop = terminal.scrollHeight;
  };
  const goTo = (place: number | typeof DISMISSED): void => {
    localStorage.setItem(STORAGE_KEY, String(place));
    draw();
  };
  return {
    draw,
    observe(news) {
      const at = reached();
      const before = STEPS.map((step) => step.isDone(observed));
      observed = { ...observed, ...news };
      drawTerminal();
      const isNews = STEPS.map((step, index) => step.isDone(observed) !== before[index]);
      if (at === undefined) return;
      const ahead = isNews.lastIndexOf(true);
      if (ahead > at) goTo(ahead + 1);
      else if (isNews[at]) draw();
    },
  };
}

const linesOf = ({ lines, code }: ProgramRun): string =>
  [...lines, ...(code === undefined ? [] : [`(exit code ${code})`])].join('\n');

function reached(): number | undefined {
  const stored = localStorage.getItem(STORAGE_KEY) ?? '0';
  return stored === DISMISSED ? undefined : Math.min(Number(stored) || 0, STEPS.length - 1);
}

function drawStep(
  at: number,
  step: Step,
  isDone: boolean,
  onShow: () => void,
  goTo: (place: number | typeof DISMISSED) => void,
): readonly Child[] {
  const isLast = at === STEPS.length - 1;
  return [
    h('p', {}, h('strong', {}, `${isDone ? '✓ ' : ''}${at + 1} of ${STEPS.length}`), ` ${step.says}`),
    h(
      'div',
      {},
      h('button', { class: isDone ? '' : 'primary', click: onShow }, does(step)),
      at > 0 && h('button', { click: () => goTo(at - 1) }, 'Back'),
      h(
        'button',
        { class: isDone ? 'primary' : '', click: () => goTo(isLast ? DISMISSED : at + 1) },
        isLast ? 'Done' : 'Next',
      ),
      !isLast && h('button', { class: 'plain', 'aria-label': 'End the tour', click: () => goTo(DISMISSED) }, '✕'),
    ),
  ];
}

function does({ as, at, runs }: Step): string {
  if (runs) return 'Run it';
  return at === 'home' ? `Go to ${as}'s Home` : `Fill it in as ${as}`;
}

function show(session: Session, { at, line, runs }: Step, who: string): void {
  if (runs) ask('/control/programs/run', { program: runs }).catch((error: unknown) => session.showError(error));
  if (at === 'home') return session.go({ me: who, channel: directMessageId(who), tab: 'home' });
  const channel = channelsOf(session.directory, who).find(
    ({ name }) => name === (runs || who === 'U01ANA' ? 'acme-shop' : 'ops'),
  );
  session.go({ me: who, ...(channel && { channel: channel.id }), tab: 'messages', thread: undefined });
  const box = document.querySelector<HTMLTextAreaElement>('main textarea');
  if (box === null || line === undefined) return;
  box.value = line;
  box.focus();
}
