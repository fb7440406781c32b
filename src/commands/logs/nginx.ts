/** nginx's own words before what it tells: its level, its process and connection, and that PHP said it. */
const head = /^(\[[a-z]{1,10}\] )\d+#\d+: (?:\*\d+ )?(FastCGI sent in stderr: "(?:PHP message: )?)?/i;
const furtherMessage = 'PHP message: ';
/** Where nginx goes on with what it did meanwhile, and for whom. */
const tails = [' while reading ', ' while connecting ', ' while sending ', ', client: '];

/** What an entry of an error log tells, without what nginx puts around it; other entries as they are. */
export function unwrapped(body: string): string {
  const found = body.startsWith('[') ? head.exec(body.slice(0, 200)) : undefined;
  const isFurther = body.startsWith(furtherMessage);
  if (!found && !isFurther) return body;
  const [whole, level = '', byPhp] = found ?? [furtherMessage, '', furtherMessage];
  const ends = tails.map((tail) => body.indexOf(tail, whole.length)).filter((at) => at !== -1);
  const message = body.slice(whole.length, Math.min(body.length, ...ends));
  // PHP says itself how grave it is; to nginx all of it is an error.
  return byPhp === undefined ? level + message : message.replace(/"$/, '');
}
