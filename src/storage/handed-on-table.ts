/** Requests that people without the right handed on to others; kept until a day after they expire. */
export type HandedOnRequestTable = {
  /** A UUID: a restored database never gives out the same one again. */
  id: string;
  /** Path of the command. */
  command: string;
  /** JSON: the command's arguments, with ids instead of names, without a reason. */
  args: string;
  /** JSON Text: what is asked for, and by whom. */
  says: string;
  /** JSON: the messages that offer it, with their keys, kinds and recipients. */
  posted: string;
  /** Who handed it on. */
  person: string;
  created_at: number;
  expires_at: number;
  /** When somebody ran it, or it expired. */
  ended_at: number | null;
  /** Who ran it as a change of their own, and that change; null: nobody. */
  used_by: string | null;
  change: number | null;
};
