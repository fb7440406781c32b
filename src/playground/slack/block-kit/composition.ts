import { objectsOf } from '../json-fields.ts';
import { LIMITS } from './limits.ts';
import {
  type ReportProblem,
  type Shape,
  type Shapes,
  flag,
  list,
  object,
  pattern,
  string,
  typed,
  word,
} from './schema.ts';

/** An id of a block, an element or a view. */
export const id: Shape = string(LIMITS.id);
/** A web address. */
export const url: Shape = pattern('a URL', /^(https?|mailto|slack|tel):/i, LIMITS.url);
/** A button's colour. */
export const style: Shape = word('primary', 'danger');

/** A `plain_text` object. */
export const plain = (max: number, min = 1): Shape =>
  object({ type: word('plain_text'), text: string(max, min) }, { emoji: flag });

const mrkdwn = (max: number, min = 1): Shape =>
  object({ type: word('mrkdwn'), text: string(max, min) }, { verbatim: flag });

/** The two kinds of text object, by type. */
export const textKinds = (max: number, min = 1): Shapes => ({ plain_text: plain(max, min), mrkdwn: mrkdwn(max, min) });

/** A `plain_text` or `mrkdwn` object. */
export const text = (max: number, min = 1): Shape => typed(textKinds(max, min));

/** The dialog a client shows before it sends an action. */
export const confirm: Shape = object(
  { title: plain(LIMITS.confirmTitle), text: text(LIMITS.confirmText) },
  { confirm: plain(LIMITS.confirmButton), deny: plain(LIMITS.confirmButton), style },
);

const optionFields = { text: plain(LIMITS.optionText), value: string(LIMITS.optionValue) };

/** An option of a select: plain text only. */
export const option: Shape = object(optionFields, { description: plain(LIMITS.optionDescription) });

/** An option of checkboxes or radio buttons; its texts may be mrkdwn. */
export const richOption: Shape = object(
  { text: text(LIMITS.optionText), value: string(LIMITS.optionValue) },
  { description: text(LIMITS.optionDescription) },
);

/** An option of an overflow menu; it may be a link. */
export const overflowOption: Shape = object(optionFields, { description: plain(LIMITS.optionDescription), url });

/** A list of options with unique values. */
export const options = (shape: Shape, max: number, min = 1): Shape => {
  const inner = list(shape, max, min);
  return (value, pointer, report) => {
    inner(value, pointer, report);
    const values = objectsOf(value).map((each) => each['value']);
    if (new Set(values).size < values.length) report(pointer, 'option values must be unique');
  };
};

const optionGroup = object({ label: plain(LIMITS.optionText), options: options(option, LIMITS.options) });

/** The option groups of a select. */
export const optionGroups: Shape = list(optionGroup, LIMITS.optionGroups);

const ANSWER = object(
  {},
  { options: options(option, LIMITS.options, 0), option_groups: optionGroups },
  (answer, pointer, report) => {
    if ((answer['options'] === undefined) === (answer['option_groups'] === undefined))
      report(pointer, 'must hold either options or option_groups');
  },
);

/** What is wrong with an app's answer to a suggestion request; empty if Slack would show it. */
export function answerComplaints(answer: unknown): readonly string[] {
  const complaints: string[] = [];
  const report: ReportProblem = (pointer, complaint) =>
    complaints.push(`${complaint} [json-pointer:${pointer || '/'}]`);
  ANSWER(answer, '', report);
  return complaints;
}
