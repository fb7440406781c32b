import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** An open transaction. Whatever writes takes one, so that a move, its audit line and its message stand or fall together. */
export type Tx = Transaction<Schema>;

/** What a read runs on: the transaction at hand, or the database's own handle where none is open. */
export type Reader = Kysely<Schema>;
