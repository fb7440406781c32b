/** What one process remembers of its posts, so that people and places have turns. */
export type TurnsOfPlaces = {
  /** Whose message was posted or edited lately, and when, the longest ago first. */
  readonly served: Map<string, number>;
  /** The places where messages are under way, a line each. */
  readonly lines: Map<string, Promise<void>>;
  /** How many messages that are. */
  underWay: number;
};

/** Who had a turn lately: so many people are told apart. */
const mostServed = 32;

export const createTurnsOfPlaces = (): TurnsOfPlaces => ({ served: new Map(), lines: new Map(), underWay: 0 });

/** Whoever has had a turn waits for the others. */
export function noteServed({ served }: TurnsOfPlaces, requester: string, at: number): void {
  served.delete(requester);
  served.set(requester, at);
  const [longestAgo] = served.keys();
  if (served.size > mostServed && longestAgo !== undefined) served.delete(longestAgo);
}

/** Keeps account of a line of so many messages to a place for as long as it is under way. */
export async function inLine(
  turns: TurnsOfPlaces,
  place: string,
  messages: number,
  line: Promise<void>,
): Promise<void> {
  turns.underWay += messages;
  turns.lines.set(place, line);
  try {
    await line;
  } finally {
    turns.underWay -= messages;
    turns.lines.delete(place);
  }
}
