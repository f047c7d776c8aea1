import type { Component } from 'svelte';
import { loadMessages } from '../lib/messages.js';
import type { LabEntry } from './registry.js';

const labModules = import.meta.glob<{ default: Component<{ lab: LabEntry }> }>('./*/Lab.svelte');
const previewModules = import.meta.glob<{ default: Component }>('./*/Preview.svelte');

/** Loads the page of a lab, each a chunk of its own. Its modules may read texts when they load, so these come first. */
export async function loadLab(slug: string): Promise<Component<{ lab: LabEntry }>> {
  await loadMessages(`labs/${slug}`);
  return (await moduleOf(labModules, slug, 'Lab')()).default;
}

/** Loads the picture on a lab's card. */
export async function loadPreview(slug: string): Promise<Component> {
  return (await moduleOf(previewModules, slug, 'Preview')()).default;
}

function moduleOf<M>(
  modules: Record<string, () => Promise<M>>,
  slug: string,
  name: string,
): () => Promise<M> {
  const load = modules[`./${slug}/${name}.svelte`];
  if (!load) throw new Error(`The lab “${slug}” has no ${name}.svelte.`);
  return load;
}
