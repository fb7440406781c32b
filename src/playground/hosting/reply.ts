/** An answer before it is written: a status and a JSON body. */
export type Reply = { readonly status: number; readonly body: unknown };

/** 200 with that body. */
export const ok = (body: unknown): Reply => ({ status: 200, body });

/** The null acknowledgement (section 4). */
export const nothing: Reply = { status: 200, body: { result: null } };
