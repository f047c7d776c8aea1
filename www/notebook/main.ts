/** The page of one lab in a notebook. Which lab it is, stands on the root element, from the name of the frame. */
import { mount } from 'svelte';
import { labs } from '../labs/registry.js';
import { loadCommonMessages, loadMessages } from '../lib/messages.js';
import { answerHost } from '../shell/embedded.js';
import '../shell/styles.css';
import { pageTheme } from '../shell/theme.svelte.js';
import Page from './Page.svelte';

const target = document.getElementById('app');
const lab = labs.find(({ slug }) => slug === document.documentElement.dataset.lab);
if (!target || !lab) throw new Error('The page of the lab is not whole.');

// At once: the widget may speak as soon as the page is loaded.
answerHost((theme) => pageTheme.ask(theme));

await loadCommonMessages();
await loadMessages(`labs/${lab.slug}`);
mount(Page, { target, props: { lab } });
