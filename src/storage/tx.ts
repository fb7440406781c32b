import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** An open transaction. Everything that writes takes one, so that a move, its audit line and its messages are atomic. */
export type Tx = Transaction<Schema>;

/** What a read runs on: an open transaction, or the database. */
export type ReadHandle = Kysely<Schema>;
