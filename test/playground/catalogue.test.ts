import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/commands/index.ts';
import { rightOf } from '../../src/commands/rights.ts';
import { usage } from '../../src/language/usage.ts';
import { readCatalogue } from '../../src/playground/catalogue.ts';

describe('the commands that the playground reads', () => {
  it('are all existing commands, in the order of help', async () => {
    const wanted = [...catalogue].map(([path, command]) => ({
      path,
      usage: usage(path, command),
      summary: command.summary,
      class: rightOf(path, command).risk,
    }));
    expect(await readCatalogue().commands()).toEqual(wanted);
  });

  it('fail with one sentence if the program cannot be run, or was killed', async () => {
    const sentence = "I couldn't read the list of commands, so I can't suggest any. You can still type them.";
    await expect(readCatalogue(['src/no-such-program.ts']).commands()).rejects.toThrow(sentence);
    const ended = readCatalogue();
    const commands = ended.commands();
    ended.close();
    await expect(commands).rejects.toThrow(sentence);
    const neverAsked = readCatalogue();
    neverAsked.close();
    await expect(neverAsked.commands()).rejects.toThrow(sentence);
  });
});
