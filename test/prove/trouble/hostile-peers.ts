import { setTimeout as wait } from 'node:timers/promises';
import { writeBudget } from '../../../src/hosting/send.ts';
import { patienceMs } from '../../patience.ts';
import { ids } from '../../stories/scenario.ts';
import { burst } from '../../burst.ts';
import type { Trouble } from './troubles.ts';
import { sent } from './until-sent.ts';

/** Trouble that strangers and hostile peers make, and an answer that comes to a process that is frozen. */

/** Without a key: bursts on the port of the health routes, one after the other. */
export const strangersBurst: Trouble['begins'] = ({ scenario }) => {
  const ending = new AbortController();
  const bursts = (async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await burst(scenario.port(), { connections: 200, path: '/readyz' });
      await wait(100);
    }
  })();
  return {
    mend: async () => {
      ending.abort();
      await bursts;
    },
  };
};

const sites = ['acme-shop', 'acme-blog', 'acme-docs', 'north-bakery'];

/** Every site answers without end. Ben has eight of them checked; they are read around the change, too. */
export const sitesAnswerWithoutEnd: Trouble['begins'] = ({ scenario: { site, slack } }) => {
  site.faults.add({ kind: 'endless-103', times: 'always' });
  const checks = sites.flatMap((name) => [`check ${name}/live`, `check ${name}/staging`]);
  return {
    comes: () => Promise.all(checks.map((words) => slack.command(ids.ben, 'C0GENERAL', `/site ${words}`))),
    mend: () => void site.faults.remove(),
  };
};

/** The process is frozen when its write has left, the host answers at once, and the process goes on past its deadline. */
export const processIsFrozen: Trouble['begins'] = (scene) => {
  const { scenario } = scene;
  const before = scenario.writes().length;
  for (const method of ['POST', 'PUT'] as const) scenario.hosting.faults.add({ kind: 'delay', method, ms: patienceMs });
  return {
    comes: async () => {
      await sent(scene, before);
      process.kill(scenario.pid(), 'SIGSTOP');
      try {
        scenario.hosting.faults.release();
        await wait(writeBudget.answerMs + 5_000);
      } finally {
        process.kill(scenario.pid(), 'SIGCONT');
      }
    },
    mend: () => void scenario.hosting.faults.remove(),
  };
};
