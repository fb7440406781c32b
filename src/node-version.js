// Plain JavaScript on purpose: an old Node must be able to read this file in order to be told what is wrong.
import module from 'node:module';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `Sitehand needs Node 24 or newer; this is ${process.versions.node} (${process.execPath}).\n` +
      'Nothing was started. In a clone, run `npm ci`, which brings Node 24 along on Linux (x64, arm64), and then\n' +
      '`npm start` or `npm run playground`; otherwise install Node 24 from https://nodejs.org.\n',
  );
  process.exit(1);
}
module.enableCompileCache?.();
// Without a listener Node opens a debugger at this signal, to whoever can connect to this machine's loopback.
process.on('SIGUSR1', () => {});
