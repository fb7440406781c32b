import { z } from 'zod';
import type { Command } from '../../../src/commands/index.ts';
import type { Given } from '../../../src/language/bind-arguments.ts';
import type { FormField } from '../../../src/slack/forms/inputs.ts';

/** A form that its person does not change. */

const elementOf = z.object({
  block_id: z.string(),
  element: z.looseObject({
    action_id: z.string(),
    initial_value: z.string().nullable().default(null),
    initial_option: z.looseObject({ value: z.string() }).nullable().default(null),
    initial_user: z.string().nullable().default(null),
    initial_options: z.array(z.looseObject({ value: z.string() })).default([]),
  }),
});

/** What Slack returns for an untouched view: each element's initial value. */
export function untouched(view: { blocks: readonly unknown[] }): unknown {
  const inputs = view.blocks.map((block) => elementOf.safeParse(block).data).filter((input) => input !== undefined);
  return Object.fromEntries(
    inputs.map(({ block_id: id, element }) => [
      id,
      {
        [element.action_id]: {
          value: element.initial_value,
          selected_user: element.initial_user,
          selected_option: element.initial_option,
          selected_options: element.initial_options,
        },
      },
    ]),
  );
}

/** The fields of a command in a form; `listed` gives the plain ones choices from the host. */
export const askedOf = (
  { fields }: Command,
  given: Given,
  listed?: (name: string) => readonly string[],
): readonly FormField[] =>
  Object.entries(fields).map(([name, field]) => ({
    name,
    field,
    given: given[name] ?? [],
    choices: listed && { id: `list of ${name}`, words: listed(name) },
  }));
