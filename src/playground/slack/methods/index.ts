import { BOT_ID, BOT_USER, TEAM } from '../seed.ts';
import { CHAT } from './chat.ts';
import { CONVERSATIONS } from './conversations.ts';
import { FILES } from './files.ts';
import type { Methods } from './method.ts';
import { USERS } from './users.ts';
import { VIEWS } from './views.ts';

const SESSION: Methods = {
  'auth.test': {
    token: 'bot',
    run: ({ scopes }) => ({
      status: 200,
      headers: { 'x-oauth-scopes': [...scopes].join(',') },
      body: {
        ok: true,
        url: `https://${TEAM.domain}.slack.com/`,
        team: TEAM.name,
        team_id: TEAM.id,
        user: 'sitehand',
        user_id: BOT_USER,
        bot_id: BOT_ID,
        is_enterprise_install: false,
      },
    }),
  },
  'api.test': { token: 'bot', run: (_, args) => ({ args }) },
  'team.info': { token: 'bot', scope: 'team:read', run: () => ({ team: { ...TEAM, email_domain: '' } }) },
  'apps.connections.open': {
    token: 'app',
    scope: 'connections:write',
    run: ({ openSocket }) => ({ url: openSocket() }),
  },
};

/** Every known method; any other is an `unknown_method`. */
export const METHODS: Methods = { ...SESSION, ...CHAT, ...VIEWS, ...USERS, ...CONVERSATIONS, ...FILES };
