import { completeFiles, expectFile, fileObject } from '../files.ts';
import type { Fields } from '../json-fields.ts';
import { Refused } from '../refused.ts';
import { BOT_USER } from '../seed.ts';
import { type Context, type Methods, required, visibleChannel } from './method.ts';

function getUploadUrl({ workspace, baseUrl }: Context, args: Fields): Fields {
  const name = required(args, 'filename');
  const length = Number(required(args, 'length'));
  if (!Number.isInteger(length) || length <= 0)
    throw new Refused('invalid_arguments', ['[ERROR] length must be positive']);
  const file = expectFile(workspace, name);
  return { upload_url: `${baseUrl()}/upload/${file.id}`, file_id: file.id };
}

function complete({ workspace }: Context, args: Fields): Fields {
  if (args['channel_id'] !== undefined) {
    const channel = visibleChannel(workspace, required(args, 'channel_id'));
    if (channel.archived) throw new Refused('is_archived');
    if (!channel.members.includes(BOT_USER)) throw new Refused('not_in_channel');
  }
  return { files: completeFiles(workspace, args['files'], args).map((file) => fileObject(workspace, file)) };
}

/** Uploads in three steps: address, bytes, sharing. https://docs.slack.dev/messaging/working-with-files */
export const FILES: Methods = {
  'files.getUploadURLExternal': { token: 'bot', scope: 'files:write', run: getUploadUrl },
  'files.completeUploadExternal': { token: 'bot', scope: 'files:write', run: complete },
};
