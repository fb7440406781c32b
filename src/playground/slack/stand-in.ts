import type { Control } from '../http.ts';
import type { WorkspaceEvent } from './workspace-events.ts';
import type { DeliverySettings } from './delivery/delivery.ts';
import type { DeliveryResult, RawEnvelope } from './delivery/envelope.ts';
import type { SuggestOutcome } from './driving/act.ts';
import type { ChannelChange, PersonChange } from './driving/administer.ts';
import type { Outcome } from './driving/context.ts';
import type { FormValues } from './driving/submit.ts';
import type { SurfaceReference, ElementSelector } from './driving/surface.ts';
import type { Faults } from './faults.ts';
import type { InputValue } from './inputs.ts';
import type { MessageQuery } from './person-view.ts';
import type {
  Call,
  Channel,
  Group,
  Notice,
  Person,
  Problem,
  VisibleFile,
  VisibleMessage,
  VisibleViews,
} from './shapes.ts';
import type { Tokens } from './web-api.ts';

/** What people can do. People and channels are ids. Throws `Impossible` with a sentence if a client can't do it. */
export type PeopleActions = {
  /** A slash command; the whole line, such as `/site cache clear acme-shop/live`. */
  command(person: string, channel: string, text: string): Promise<Outcome>;
  /** A message; people and channels may be written `@ana` and `#ops`. */
  say(person: string, channel: string, text: string, threadTs?: string): Promise<Outcome & { readonly ts: string }>;
  /** A message that begins with a mention of the bot. */
  mention(person: string, channel: string, text: string, threadTs?: string): Promise<Outcome & { readonly ts: string }>;
  /** Edits one of their own messages. */
  edit(person: string, channel: string, ts: string, text: string): Promise<Outcome>;
  /** Presses a button. Its confirm dialog is accepted unless `confirm` is false. */
  click(person: string, where: SurfaceReference, which: ElementSelector, confirm?: boolean): Promise<Outcome>;
  /** Sets an input; the app hears of it if the input dispatches. */
  pick(person: string, where: SurfaceReference, which: ElementSelector, value: InputValue): Promise<Outcome>;
  /** Types into an external select. */
  suggest(person: string, where: SurfaceReference, which: ElementSelector, query: string): Promise<SuggestOutcome>;
  /** Fills in and submits the topmost modal. */
  submit(person: string, filled?: FormValues): Promise<Outcome>;
  /** Closes the topmost modal, or all. */
  closeModal(person: string, all?: boolean): Promise<readonly Outcome[]>;
  /** Picks a global shortcut by its callback id. */
  shortcut(person: string, callbackId: string): Promise<Outcome>;
  /** Opens the app's Home tab. */
  home(person: string): Promise<Outcome>;
};

/** What can be read. */
export type Readings = {
  messages(asked: MessageQuery): readonly VisibleMessage[];
  views(person: string): VisibleViews;
  files(person: string): readonly VisibleFile[];
  people(): readonly Person[];
  groups(): readonly Group[];
  channels(): readonly Channel[];
  /** The newest 2,000 Web API calls, uploads and answers to response URLs. */
  calls(): readonly Call[];
  /** The newest 500 problems that the app's author should look at. */
  problems(): readonly Problem[];
  /** The newest 500 lines that only a client shows. */
  notices(): readonly Notice[];
};

/** What an administrator or a test can change. */
export type AdminActions = {
  changePerson(id: string, change: PersonChange): Person;
  /** Also tells the app if it has subscribed. */
  changeGroup(id: string, users: readonly string[]): Promise<Group & { readonly outcome: Outcome }>;
  /** Disables or enables a user group. */
  disableGroup(id: string, isDisabled?: boolean): Group;
  changeChannel(id: string, change: ChannelChange): Channel;
  /** Asks the app to reconnect, or cuts the connections. */
  disconnectSockets(abruptly?: boolean): void;
  /** Delivers an earlier envelope again, by `Outcome.envelope`. */
  redeliver(envelope: string): Promise<DeliveryResult>;
  /** Delivers raw content, signed or in its envelope. */
  deliverRaw(kind: RawEnvelope['kind'], payload: unknown): Promise<DeliveryResult>;
  /** Sends raw text over every socket, without an envelope. */
  sendRaw(words: string): void;
  /** Switches to signed HTTP to these addresses, in turn. */
  deliverTo(url: string | readonly string[]): void;
};

/** A Slack workspace on loopback with one app in it. */
export type SlackStandIn = PeopleActions &
  Readings &
  AdminActions & {
    /** For `clientOptions.slackApiUrl`; ends in `/api/`. */
    readonly apiUrl: string;
    readonly tokens: Tokens;
    readonly faults: Faults;
    readonly delivery: DeliverySettings;
    readonly control: Control;
    /** Resolves once the app can be reached: a socket is up, or a request URL is known. */
    connected(timeoutMs?: number): Promise<void>;
    /** Calls the listener on every later event; the returned function unsubscribes. */
    subscribe(listener: (change: WorkspaceEvent) => void): () => void;
    /** The first defined value of `probe`, which runs now and after every event. */
    until<T>(probe: () => T | undefined, timeoutMs?: number): Promise<T>;
    close(): Promise<void>;
  };
