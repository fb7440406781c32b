/** Ordinary log lines without anything to mask; the same for the same seed. */
export function harmlessLines(amount: number, seed = 7): readonly string[] {
  let state = seed;
  /** From 0 up to, but not including. */
  const below = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  const one = <T>(of: readonly [T, ...T[]]): T => of[below(of.length)] ?? of[0];
  const hex = (length: number): string => Array.from({ length }, () => below(16).toString(16)).join('');
  const plugin = () =>
    one(['woocommerce', 'password-protected', 'token-manager', 'keyring', 'two-factor', 'wp-mail-smtp']);
  const page = () =>
    one(['shop', 'my-account/lost-password', 'product/secret-garden', 'author/bob', 'wp-login.php', 'feed']);
  const time = () => `20/Nov/2026:${10 + below(13)}:${10 + below(49)}:${10 + below(49)} +0000`;
  const name = () =>
    one(['password', 'token', 'api_key', 'secret', 'session_id', 'auth', 'pass', 'user_pass', 'nonce']);
  const templates: readonly [() => string, ...(() => string)[]] = [
    () =>
      `client - - [${time()}] "GET /${page()}?p=${below(999)}&ver=6.${below(9)} HTTP/2.0" 200 ${below(99_999)} "-" "Mozilla/5.0" 0.${below(999)}`,
    () =>
      `client - - [${time()}] "GET /wp-content/plugins/${plugin()}/main.${hex(16)}.js?ver=${hex(8)} HTTP/2.0" 200 ${below(999)} "https://acme.com/${page()}" "curl/8.${below(9)}"`,
    () =>
      `client - - [${time()}] "POST /wp-admin/admin-ajax.php?action=heartbeat&_wpnonce=${hex(10)} HTTP/1.1" 200 ${below(99)} "-" "-"`,
    () =>
      `[20-Nov-2026 10:11:12 UTC] PHP Warning:  Undefined array key "${name()}" in /www/wp-content/plugins/${plugin()}/x.php on line ${below(999)}`,
    () =>
      `[20-Nov-2026 10:11:12 UTC] PHP Notice:  Undefined property: stdClass::$${name()} in /www/${plugin()}.php on line ${below(999)}`,
    () =>
      `#${below(20)} /www/wp-content/plugins/${plugin()}/class-${plugin()}.php(${below(999)}): Cart->total(${below(99)}, '${hex(8)}')`,
    () =>
      `2026/11/20 10:11:12 [error] ${below(9999)}#${below(99)}: *${below(999)} open() "/www/${page()}/${hex(32)}.png" failed (2: No such file or directory)`,
    () =>
      `{"level":"info","id":"${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}","message":"${name()} was checked","ms":${below(999)}}`,
    () =>
      `WordPress database error Unknown column '${name()}' in 'field list' for query SELECT ${name()}, ID FROM wp_${plugin()} WHERE ID = ${below(99)}`,
    () => `deployed ${hex(40)} of ${plugin()} in ${below(99)} s`,
    () => `cache ${one(['HIT', 'MISS', 'BYPASS'])} /${page()}?v=${hex(12)} key:${hex(4)}`,
    () => `user ${below(999)} asked for a new password, mail was sent`,
    () => `the ${name()} of user ${below(999)} is ${one(['expired', 'missing', 'invalid', 'not set'])}`,
    () => `${name()}_count=${below(999)} ${name()}_expires=${below(99_999)} sort_key=${plugin()}`,
    () => `${name()}: ${one(['null', 'false', 'true', 'required', 'missing', 'invalid', 'expired'])}`,
  ];
  return Array.from({ length: amount }, () => one(templates)());
}
