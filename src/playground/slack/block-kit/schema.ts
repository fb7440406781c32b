import { type Fields, isFields, listOf } from '../json-fields.ts';

/** Receives one complaint about the value at a JSON pointer (`/blocks/0/text`). */
export type ReportProblem = (pointer: string, complaint: string) => void;

/** Checks one value and reports what Slack would refuse. */
export type Shape = (value: unknown, pointer: string, report: ReportProblem) => void;

/** Fields and their shapes. */
export type Shapes = { readonly [field: string]: Shape };

/** Any value. */
export const anything: Shape = () => {};

/** A string of `min` to `max` characters. */
export const string =
  (max: number, min = 0): Shape =>
  (value, pointer, report) => {
    if (typeof value !== 'string') report(pointer, 'must be a string');
    else if (value.length > max) report(pointer, `must be less than ${max + 1} characters`);
    else if (value.length < min) report(pointer, `must be more than ${min - 1} characters`);
  };

/** A string that matches a pattern; `what` describes it in complaints. */
export const pattern =
  (what: string, expression: RegExp, max = 3000): Shape =>
  (value, pointer, report) => {
    string(max)(value, pointer, report);
    if (typeof value === 'string' && !expression.test(value)) report(pointer, `must be ${what}`);
  };

/** True or false. */
export const flag: Shape = (value, pointer, report) => {
  if (typeof value !== 'boolean') report(pointer, 'must be a boolean');
};

/** A whole number from `min` to `max`. */
export const whole =
  (min: number, max: number): Shape =>
  (value, pointer, report) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) report(pointer, 'must be an integer');
    else if (value < min || value > max) report(pointer, `must be between ${min} and ${max}`);
  };

/** One of these words. */
export const word =
  (...words: readonly string[]): Shape =>
  (value, pointer, report) => {
    if (typeof value !== 'string' || !words.includes(value)) report(pointer, 'must be a valid enum value');
  };

/** A list of `min` to `max` items of one shape. */
export const list =
  (item: Shape, max: number, min = 1): Shape =>
  (value, pointer, report) => {
    if (!Array.isArray(value)) return report(pointer, 'must be an array');
    const items = listOf(value);
    if (items.length > max) report(pointer, `no more than ${max} items allowed`);
    if (items.length < min) report(pointer, `no fewer than ${min} items allowed`);
    for (const [index, each] of items.slice(0, max).entries()) item(each, `${pointer}/${index}`, report);
  };

/** An object with exactly these required and optional fields; `and` checks it as a whole. */
export const object =
  (
    required: Shapes,
    optional: Shapes = {},
    and?: (value: Fields, pointer: string, report: ReportProblem) => void,
  ): Shape =>
  (value, pointer, report) => {
    if (!isFields(value)) return report(pointer, 'must be an object');
    for (const field of Object.keys(required)) {
      if (value[field] === undefined || value[field] === null) report(pointer, `missing required field: ${field}`);
    }
    for (const [field, inner] of Object.entries(value)) {
      const shape = own(required, field) ?? own(optional, field);
      if (shape === undefined) report(pointer, `invalid additional property: ${field}`);
      else if (inner !== undefined && inner !== null) shape(inner, `${pointer}/${field}`, report);
    }
    and?.(value, pointer, report);
  };

/** Null, or this shape. */
export const orNull =
  (shape: Shape): Shape =>
  (value, pointer, report) => {
    if (value !== null) shape(value, pointer, report);
  };

/** An object whose `type` selects its shape from a table. */
export const typed =
  (shapes: Shapes): Shape =>
  (value, pointer, report) => {
    if (!isFields(value)) return report(pointer, 'must be an object');
    if (typeof value['type'] !== 'string') return report(pointer, 'missing required field: type');
    const shape = own(shapes, value['type']);
    if (shape === undefined) report(`${pointer}/type`, `unsupported type: ${value['type']}`);
    else shape(value, pointer, report);
  };

/** The named part of a table. */
export const only = (shapes: Shapes, names: readonly string[]): Shapes =>
  Object.fromEntries(Object.entries(shapes).filter(([name]) => names.includes(name)));

const own = (shapes: Shapes, field: string): Shape | undefined =>
  Object.hasOwn(shapes, field) ? shapes[field] : undefined;
