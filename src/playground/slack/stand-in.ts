import type { Control } from '../http.ts';
import type { Change } from './changes.ts';
import type { DeliverySettings } from './delivery/delivery.ts';
import type { Acknowledged, Carried } from './delivery/envelope.ts';
import type { Suggested } from './driving/act.ts';
import type { ChannelChange, PersonChange } from './driving/administer.ts';
import type { Outcome } from './driving/stage.ts';
import type { Filled } from './driving/submit.ts';
import type { Where, Which } from './driving/surface.ts';
import type { Faults } from './faults.ts';
import type { Said } from './inputs.ts';
import type { AskedMessages, SeenFile, SeenMessage, SeenView } from './reads.ts';
import type { Call, Channel, Group, Notice, Person, Problem } from './shapes.ts';
import type { Tokens } from './web-api.ts';

/** What people do. Persons and channels are ids. Throws `Impossible`, with a sentence, for what a client does not offer. */
export type Driving = {
  /** A slash command, the whole line: `/site cache clear acme-shop/live`. */
  command(person: string, channel: string, text: string): Promise<Outcome>;
  /** A message; people and channels may be written `@ana` and `#ops`. */
  say(person: string, channel: string, text: string, threadTs?: string): Promise<Outcome & { readonly ts: string }>;
  /** A message that begins with a mention of the bot. */
  mention(person: string, channel: string, text: string, threadTs?: string): Promise<Outcome & { readonly ts: string }>;
  /** Another text for a message of their own. */
  edit(person: string, channel: string, ts: string, text: string): Promise<Outcome>;
  /** A button; its confirm dialog is agreed to unless `confirm` is false. */
  click(person: string, where: Where, which: Which, confirm?: boolean): Promise<Outcome>;
  /** Something put into an input, told to the app where that input dispatches. */
  pick(person: string, where: Where, which: Which, said: Said): Promise<Outcome>;
  /** Text typed into an external select. */
  suggest(person: string, where: Where, which: Which, query: string): Promise<Suggested>;
  /** The modal on top, filled in and sent. */
  submit(person: string, filled?: Filled): Promise<Outcome>;
  /** The modal on top closed, or all of them. */
  closeModal(person: string, all?: boolean): Promise<readonly Outcome[]>;
  /** A global shortcut, by its callback id. */
  shortcut(person: string, callbackId: string): Promise<Outcome>;
  /** The app's Home tab opened. */
  home(person: string): Promise<Outcome>;
};

/** What can be looked at. */
export type Reading = {
  messages(asked: AskedMessages): readonly SeenMessage[];
  views(person: string): { readonly modals: readonly SeenView[]; readonly home: SeenView | undefined };
  files(person: string): readonly SeenFile[];
  people(): readonly Person[];
  groups(): readonly Group[];
  channels(): readonly Channel[];
  /** The newest 2,000 Web API calls, uploads and answers to response URLs. */
  calls(): readonly Call[];
  /** The newest 500 things the app's author should look at. */
  problems(): readonly Problem[];
  /** The newest 500 lines that only a client shows. */
  notices(): readonly Notice[];
};

/** What an administrator or a test can change. */
export type Administering = {
  changePerson(id: string, change: PersonChange): Person;
  /** Also tells the app, if it has subscribed. */
  changeGroup(id: string, users: readonly string[]): Promise<Group & { readonly outcome: Outcome }>;
  /** Disables a user group, or enables it again. */
  disableGroup(id: string, isDisabled?: boolean): Group;
  changeChannel(id: string, change: ChannelChange): Channel;
  /** Asks the app to reconnect, or cuts the wire. */
  disconnectSockets(abruptly?: boolean): void;
  /** Delivers an earlier envelope again, by `Outcome.envelope`. */
  redeliver(envelope: string): Promise<Acknowledged>;
  /** Delivers this as it is, signed or in its envelope, whatever it holds. */
  bring(kind: Carried['kind'], payload: unknown): Promise<Acknowledged>;
  /** Sends these words over every socket, in no envelope. */
  sendRaw(words: string): void;
  /** From now on delivers by signed HTTP to these addresses, in turn. */
  deliverTo(url: string | readonly string[]): void;
};

/** A Slack workspace on loopback with one app in it. */
export type SlackStandIn = Driving &
  Reading &
  Administering & {
    /** For `clientOptions.slackApiUrl`; ends in `/api/`. */
    readonly apiUrl: string;
    readonly tokens: Tokens;
    readonly faults: Faults;
    readonly delivery: DeliverySettings;
    readonly control: Control;
    /** Resolves as soon as the app can be reached: a socket is up, or a request URL is known. */
    connected(timeoutMs?: number): Promise<void>;
    /** Tells every change from now on; the answer ends that. */
    subscribe(listener: (change: Change) => void): () => void;
    /** The first value of `probe` that is not undefined, asked now and after every change. */
    until<T>(probe: () => T | undefined, timeoutMs?: number): Promise<T>;
    close(): Promise<void>;
  };
