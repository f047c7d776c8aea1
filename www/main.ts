import { mount } from 'svelte';
import { labs } from './labs/registry.js';
import { language, t } from './lib/language.js';
import { loadCommonMessages } from './lib/messages.js';
import { answerHost } from './shell/embedded.js';
import Shell from './shell/Shell.svelte';
import './shell/styles.css';
import { pageTheme } from './shell/theme.svelte.js';

const target = document.getElementById('app');
if (!target) throw new Error('The page has no #app.');

// At once: the page around this one may speak as soon as it is loaded.
answerHost((theme) => pageTheme.ask(theme));

await loadCommonMessages();
const { lab: slug } = document.documentElement.dataset;
const lab = labs.find((entry) => entry.slug === slug);
if (language !== 'en')
  document.title = lab
    ? `${t(lab.title)} · unnorm`
    : t('unnorm: energy-based models in the browser');
mount(Shell, { target, props: { lab } });
