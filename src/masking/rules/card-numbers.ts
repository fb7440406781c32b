import type { MaskingRule } from '../rule.ts';

/** Numbers of payment cards, recognised by their first digits, their length and their check digit. */
export const cardNumbers: MaskingRule = {
  hint: '[2-6]\\d{3}[ -]?\\d{4,6}[ -]?\\d{4}',
  shape:
    /(?<before>)(?<![\w.-])(?:(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6(?:011|5\d\d|4[4-9]\d)|35\d\d|62\d\d|50\d\d|6[37]\d\d)([ -]?)\d{4}\2\d{4}\2\d{1,4}(?:\2\d{3})?|3[47]\d\d([ -]?)\d{6}\3\d{5}|3(?:0[0-5]|[68]\d)\d([ -]?)\d{6}\4\d{4})(?![\w-]|\.\d)/g,
  isSecret: (value) => isCard(value) && value.replaceAll(/\D/g, '').length >= 14,
};

/** Whether the last digit is a valid check digit for a card number. */
function isCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '');
  const sum = digits
    .split('')
    .toReversed()
    .reduce((all, digit, at) => {
      const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
      return all + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0 && new Set(digits).size > 1;
}
