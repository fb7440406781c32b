import type { IncomingMessage } from 'node:http';
import { type Fields, isFields, parseJson } from './json-fields.ts';
import { Refused } from './refused.ts';

/** Form fields that hold JSON, and Slack's error if they do not. */
const JSON_FIELDS: Readonly<Record<string, string>> = {
  blocks: 'invalid_blocks_format',
  attachments: 'invalid_attachments',
  metadata: 'invalid_metadata_format',
  view: 'invalid_arguments',
  files: 'invalid_arguments',
  file_ids: 'invalid_arguments',
};

/** A call's arguments from its query and its body, JSON or form-encoded. Refuses `invalid_json` and similar. */
export function argumentsOf(request: IncomingMessage, query: URLSearchParams, body: string): Fields {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/json')) return unpacked({ ...form(query), ...form(new URLSearchParams(body)) });
  const sent = body === '' ? {} : parseJson(body);
  if (sent === undefined) throw new Refused('invalid_json');
  if (!isFields(sent)) throw new Refused('json_not_object');
  return unpacked({ ...form(query), ...sent });
}

const form = (fields: URLSearchParams): Fields => Object.fromEntries(fields);

function unpacked(args: Fields): Fields {
  const entries = Object.entries(args).map(([name, value]) => {
    const refusal = Object.hasOwn(JSON_FIELDS, name) ? JSON_FIELDS[name] : undefined;
    if (refusal === undefined || typeof value !== 'string') return [name, value] as const;
    const parsed = parseJson(value);
    if (parsed === undefined) throw new Refused(refusal, [`[ERROR] ${name} is not JSON`]);
    return [name, parsed] as const;
  });
  return Object.fromEntries(entries);
}
