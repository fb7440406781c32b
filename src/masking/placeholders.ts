/** What stands where a credential would and is none: whoever wrote it hid one, left one out, or named where it comes from. */

const hidden =
  'redacted|filtered|hidden|masked|removed|omitted|censored|scrubbed|sanitized|deleted|geschwärzt|protected';
const forms = [
  // `********`, `xxxx-xxxx`, and a cookie that is emptied
  '(?=.*[x*•])[x*•.-]{3,}|%20|\\+',
  // `[REDACTED]`, also where the bracket before belongs to what is around
  `[<[({]{0,2}(?:value )?(?:${hidden})[>\\])}]{1,2}|${hidden}`,
  // `<your-key>`, `{token}`
  '<[a-z][\\w -]{0,40}>?|\\{[a-z_]{2,40}\\}',
  // `$PASSWORD`, `${PASSWORD:-}`, `{{ password }}`, `%env(PASSWORD)%`, `%s`
  '\\$[A-Z][A-Z\\d_]{2,60}|\\$?\\{{1,3}(?:\\s?[\\w.:?| -]{0,80})\\}{0,3}|%env\\([\\w:]{1,80}\\)%|%(?:\\d\\$)?s',
  // `YOUR_SECRET_KEY`, `put your unique phrase here`, `password_here`
  '(?:put |insert |enter )?your[ _-][\\w -]{0,60}(?:key|token|secret|passw(?:or)?d|phrase|licen[cs]e|code|here)|\\w{1,40}_here',
  // `{{ lookup('env', 'DB_PASS') }}`, `!secret db_password`, `(sensitive value)`, `~`, `$1`, `:password` and `@p1` of a statement
  '\\{\\{-?\\s{0,4}[a-z_][^{}\\n]{0,100}\\}\\}|!(?:secret|vault|env_var|env|ref|sub|reference)(?: .{0,80})?',
  '\\((?:sensitive|known)(?: .{0,30})?|~|\\$\\d|:[a-z_]{2,40}|@p\\d{1,3}',
  // the type of a column
  '(?:(?:var)?(?:char|binary)|(?:tiny|small|medium|big)?int|(?:tiny|medium|long)?(?:text|blob)|decimal|datetime|timestamp|double|enum)(?:\\([\\d, ]{1,8}\\))?(?: unsigned)?',
];
/** A scheme before it, and what ends a sentence behind. */
const whole = new RegExp(`^(?:(?:basic|bearer|digest|token)[ +])?(?:${forms.join('|')})[.,;:)\\]}'"]{0,3}$`, 'i');
/** A scheme alone is followed by something that cannot be a credential. */
const scheme = /^(?:basic|bearer|digest|negotiate|ntlm)$/i;

export const isPlaceholder = (value: string): boolean =>
  value.length < 120 && (whole.test(value) || scheme.test(value));
