/** What one process remembers of its posts, so that people and places have turns. */
export type TurnsOfPlaces = {
  /** Whose message was posted or edited lately, and when, the longest ago first. */
  readonly served: Map<string, number>;
  /** The places where messages are under way: how many, and when the last of them is done. */
  readonly lines: Map<string, { readonly messages: number; readonly end: Promise<void> }>;
  /** How many messages that are. */
  underWay: number;
  /** Nothing more is begun: the process is about to stop. */
  isOver: boolean;
};

/** Who had a turn lately: so many people are told apart. */
const maxServed = 32;

export const createTurnsOfPlaces = (): TurnsOfPlaces => ({
  served: new Map(),
  lines: new Map(),
  underWay: 0,
  isOver: false,
});

/** Whoever has had a turn waits for the others. */
export function noteServed({ served }: TurnsOfPlaces, requester: string, at: number): void {
  served.delete(requester);
  served.set(requester, at);
  const [maxAge] = served.keys();
  if (served.size > maxServed && maxAge !== undefined) served.delete(maxAge);
}

/** Draws so many messages for a place, after those that are under way there. */
export async function inLine(
  turns: TurnsOfPlaces,
  place: string,
  messages: number,
  draw: () => Promise<void>,
): Promise<void> {
  const before = turns.lines.get(place);
  const end = before === undefined ? draw() : before.end.then(draw, draw);
  turns.lines.set(place, { messages: (before?.messages ?? 0) + messages, end });
  turns.underWay += messages;
  try {
    await end;
  } finally {
    turns.underWay -= messages;
    const now = turns.lines.get(place);
    if (now?.end === end) turns.lines.delete(place);
    else if (now) turns.lines.set(place, { ...now, messages: now.messages - messages });
  }
}
