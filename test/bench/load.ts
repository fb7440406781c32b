import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { World } from './world.ts';

/** People with rights in the playground's policy; several are needed, because each has only a fair share. */
const everybody = ['U01ANA', 'U02BEN', 'U03CHI', 'U04DEE'];
export const oneOf = (at: number): string | undefined => everybody[at % everybody.length];

/** Sends commands as Slack does and measures how long they take. */
export type Load = {
  /**
   * Sends this many a second for these seconds, as independent people do (a Poisson process), whether or not earlier
   * ones are answered. Resolves with the ms until each ack.
   */
  readonly arrivals: (
    url: string,
    text: string,
    perSecond: number,
    seconds: number,
    who?: string,
  ) => Promise<readonly number[]>;
  /** Sends one command; resolves with the ms until its last message. */
  readonly toLastWord: (url: string, text: string, who?: string) => Promise<number>;
  /** Sends as many as possible, this many at once, from everybody. Resolves with finished per second, and ms each. */
  readonly saturate: (url: string, text: string, atOnce: number, seconds: number) => Promise<Saturation>;
  readonly close: () => Promise<void>;
};

type Saturation = { readonly perSecond: number; readonly ms: readonly number[] };

/** Load on the program in that world. */
export function createLoad(world: World): Load {
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const sign = createSigning(world.signingSecret);
  let sent = 0;
  const next = (): string => `${process.pid}.${(sent += 1)}`;

  const send = async (url: string, text: string, id: string, who?: string): Promise<number> => {
    const body = bodyOf(text, id, world.responseUrl(id), who);
    const began = performance.now();
    const answer = await request(`${url}/slack/events`, {
      method: 'POST',
      headers: sign(body),
      body,
      dispatcher: agent,
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`a command was answered with ${answer.statusCode}`);
    return performance.now() - began;
  };
  const arrivals: Load['arrivals'] = async (url, text, perSecond, seconds, who) => {
    const acks: Promise<number>[] = [];
    const began = performance.now();
    for (let at = 0; at < seconds * 1_000; at += (-Math.log(1 - Math.random()) / perSecond) * 1_000) {
      const early = began + at - performance.now();
      // Timers have a resolution of a millisecond, so anything due within the next one is sent now.
      if (early > 1) await wait(early);
      acks.push(send(url, text, next(), who));
    }
    return Promise.all(acks);
  };
  const toLastWord: Load['toLastWord'] = async (url, text, who) => {
    const [id, began] = [next(), performance.now()];
    const lastMessage = world.lastWord(id);
    await send(url, text, id, who);
    await lastMessage;
    return performance.now() - began;
  };
  const saturate: Load['saturate'] = async (url, text, atOnce, seconds) => {
    const ms: number[] = [];
    const began = performance.now();
    const person = async (at: number): Promise<void> => {
      while (performance.now() - began < seconds * 1_000) ms.push(await toLastWord(url, text, oneOf(at)));
    };
    await Promise.all(Array.from({ length: atOnce }, (_, at) => person(at)));
    return { perSecond: (ms.length / (performance.now() - began)) * 1_000, ms };
  };
  return { arrivals, toLastWord, saturate, close: () => agent.close() };
}

const bodyOf = (text: string, id: string, responseUrl: string, who = 'U01ANA'): string =>
  new URLSearchParams({
    command: '/site',
    text,
    user_id: who,
    user_name: 'somebody',
    team_id: 'T0SITEHAND',
    channel_id: 'C0ACME',
    channel_name: 'acme-shop',
    trigger_id: id,
    api_app_id: 'A0SITEHAND',
    response_url: responseUrl,
  }).toString();

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
function createSigning(secret: string): (body: string) => Record<string, string> {
  return (body) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    return {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`,
    };
  };
}
