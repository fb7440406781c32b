import { actors, channelsOf, directMessageId } from './directory.ts';
import { type Child, fill, h } from './dom.ts';
import type { Seat } from './seat.ts';

/** One step of the tour: what to see, and where; `line` is put into the composer, to be sent by whoever reads it. */
type Step = { readonly says: string; readonly as: string; readonly at: 'channel' | 'home'; readonly line?: string };

const STEPS: readonly Step[] = [
  {
    says: 'Read something: the error log of a live shop, grouped, with what repeats on top. Only Ana sees the answer.',
    as: 'Ana',
    at: 'channel',
    line: '/site logs acme-shop/live',
  },
  {
    says: 'Change something small: the card stands for all to see, and its thread tells the rest.',
    as: 'Ana',
    at: 'channel',
    line: '/site cache clear acme-shop/staging',
  },
  {
    says: 'Push staging to live: the form says what will be lost, and wants the name typed. Nothing is sent yet.',
    as: 'Ana',
    at: 'channel',
    line: '/site push acme-shop/staging acme-shop/live --database',
  },
  {
    says: 'Approve as Chi: the change waits on the Home tab. Ten seconds to stop it, then it is written once.',
    as: 'Chi',
    at: 'home',
  },
  {
    says: 'Ask what happened: every step stands in the trail, with who did it and by which rule.',
    as: 'Chi',
    at: 'channel',
    line: '/site audit',
  },
];

const PLACE = 'tour';
const OVER = 'over';

/** A short guided tour above the composer; it can be dismissed, and stays so. Answers with what draws it anew. */
export function createTour(seat: Seat, element: HTMLElement): () => void {
  const draw = (): void => {
    const at = reached();
    const step = at === undefined ? undefined : STEPS[at];
    // In a workspace of other people there is nobody to follow.
    const who = actors(seat.directory).find(({ display_name }) => display_name === step?.as)?.id;
    element.hidden = step === undefined || who === undefined;
    if (at === undefined || step === undefined || who === undefined) return fill(element);
    fill(element, ...drawStep(at, step, () => show(seat, step, who), goTo));
  };
  const goTo = (place: number | typeof OVER): void => {
    localStorage.setItem(PLACE, String(place));
    draw();
  };
  return draw;
}

function reached(): number | undefined {
  const kept = localStorage.getItem(PLACE) ?? '0';
  return kept === OVER ? undefined : Math.min(Number(kept) || 0, STEPS.length - 1);
}

function drawStep(
  at: number,
  step: Step,
  onShow: () => void,
  goTo: (place: number | typeof OVER) => void,
): readonly Child[] {
  const isLast = at === STEPS.length - 1;
  return [
    h('p', {}, h('strong', {}, `${at + 1} of ${STEPS.length}`), ` ${step.says}`),
    h(
      'div',
      {},
      h('button', { class: 'primary', click: onShow }, `As ${step.as}`),
      at > 0 && h('button', { click: () => goTo(at - 1) }, 'Back'),
      h('button', { click: () => goTo(isLast ? OVER : at + 1) }, isLast ? 'Done' : 'Next'),
      !isLast && h('button', { class: 'plain', 'aria-label': 'End the tour', click: () => goTo(OVER) }, '✕'),
    ),
  ];
}

function show(seat: Seat, { at, line }: Step, who: string): void {
  if (at === 'home') return seat.go({ me: who, channel: directMessageId(who), tab: 'home' });
  const channel = channelsOf(seat.directory, who).find(({ name }) => name === (who === 'U01ANA' ? 'acme-shop' : 'ops'));
  seat.go({ me: who, ...(channel && { channel: channel.id }), tab: 'messages', thread: undefined });
  const box = document.querySelector<HTMLTextAreaElement>('main textarea');
  if (box === null || line === undefined) return;
  box.value = line;
  box.focus();
}
