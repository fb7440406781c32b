import { paragraph, type Page } from '../commands/kit/page.ts';
import type { Asking } from '../decide/admin-actions.ts';
import { bindingFor } from '../decide/channel-binding.ts';
import type { NamedSite } from '../hosting/contract/target.ts';
import { mention, sample, say, typed } from '../words/text.ts';
import type { PipelineContext } from './context.ts';

export async function usePage(
  context: PipelineContext,
  asking: Asking,
  { site, forget }: { readonly site: NamedSite | undefined; readonly forget: boolean },
): Promise<Page> {
  const binding = bindingFor(context, asking);
  if (forget) {
    const before = await binding.forget();
    return {
      title: before
        ? say`**This channel is no longer bound to ${before.name}**`
        : say`This channel wasn't bound to a site. Nothing was changed.`,
      parts: [],
    };
  }
  if (site === undefined) {
    const bound = await binding.bound();
    return {
      title: bound
        ? say`**This channel is bound to ${bound.name}**, by ${mention(bound.by)}`
        : say`**This channel isn't bound to a site**`,
      parts: [paragraph(say`${sample('use acme-shop')} binds it to that site; ${typed('use --forget')} ends that.`)],
    };
  }
  const isNew = await binding.use(site);
  return {
    title: isNew
      ? say`**This channel is now bound to ${site.name}**`
      : say`This channel is already bound to ${site.name}. Nothing was changed.`,
    parts: [
      paragraph(
        say`Here ${sample('logs live')} means ${sample(`logs ${site.name}/live`)}. Answers still show full names, and you have to type them for anything destructive.`,
      ),
    ],
    offers: [{ label: 'Forget it', args: ['use', '--forget'] }],
  };
}
