// Plain JavaScript on purpose: an old Node, from 12 on, must be able to read this file in order to be told what is wrong.
import module from 'node:module';

const { version, execPath } = process;
if (Number(version.slice(1).split('.')[0]) < 24) {
  process.stderr.write(
    `Sitehand needs Node 24 or newer and did not start, because this is ${version} (${execPath}): ` +
      'install it from https://nodejs.org, or on Linux with `npm ci` in a clone.\n',
  );
  process.exit(1);
}
if (module.enableCompileCache) module.enableCompileCache();
// Without a listener Node opens a debugger at this signal, to whoever can connect to this machine's loopback.
process.on('SIGUSR1', () => {});
