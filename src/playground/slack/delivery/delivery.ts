import { setBounded } from '../journal.ts';
import { Impossible } from '../refused.ts';
import type { DeliveryResult, Transport, Envelope } from './envelope.ts';
import type { Signature } from './http.ts';

/** How envelopes reach the app; can be changed at any time. */
export type DeliverySettings = {
  /** How many times each envelope is delivered; 1 means once. */
  duplicates: number;
  /** How HTTP requests are signed. */
  signature: Signature;
  /** Whether mentions and interactive payloads name the actor's team and enterprise. On a grid they may not. */
  namesTeams: boolean;
};

/** Delivers from the workspace to the app. */
export type Delivery = {
  readonly settings: DeliverySettings;
  /** Delivers as often as the settings say. Returns the first ack, or the first failure if there is none. */
  deliver(envelope: Envelope): Promise<DeliveryResult>;
  /** Delivers an earlier envelope again, identical in every field; the newest 100 are kept. */
  redeliver(id: string): Promise<DeliveryResult>;
};

const MAX_REMEMBERED = 100;

/** Delivers by one route, chosen for each envelope. `onDelivered` gets every ack and every failure. */
export function createMessageSender(
  transport: () => Transport,
  onDelivered: (envelope: Envelope, attempt: number, answer: DeliveryResult) => void,
): Delivery {
  const settings: DeliverySettings = { duplicates: 1, signature: 'right', namesTeams: true };
  const remembered = new Map<string, { readonly envelope: Envelope; attempts: number }>();

  async function once(envelope: Envelope, attempt: number): Promise<DeliveryResult> {
    const answer = await transport()(envelope, attempt);
    onDelivered(envelope, attempt, answer);
    return answer;
  }

  return {
    settings,
    deliver(envelope) {
      const attempts = Math.max(1, settings.duplicates);
      setBounded(remembered, envelope.id, { envelope, attempts }, MAX_REMEMBERED);
      return firstAck(Array.from({ length: attempts }, (_, attempt) => once(envelope, attempt)));
    },
    async redeliver(id) {
      const earlier = remembered.get(id);
      if (earlier === undefined) throw new Impossible(`there is no envelope ${id} to deliver again`);
      earlier.attempts += 1;
      return once(earlier.envelope, earlier.attempts - 1);
    },
  };
}

async function firstAck(answers: readonly Promise<DeliveryResult>[]): Promise<DeliveryResult> {
  const acks = answers.map(async (pending) => {
    const answer = await pending;
    if (!answer.acked) throw new Error('no ack');
    return answer;
  });
  try {
    return await Promise.any(acks);
  } catch {
    const [first] = await Promise.all(answers);
    return first ?? { acked: false, ms: 0, ack: undefined, failure: 'not_connected' };
  }
}
