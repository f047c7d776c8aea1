import { mount } from 'svelte';
import { labs } from './labs/registry.js';
import { answerHost } from './shell/embedded.js';
import { offline } from './shell/offline.svelte.js';
import Shell from './shell/Shell.svelte';
import './shell/styles.css';
import { pageTheme } from './shell/theme.svelte.js';

const target = document.getElementById('app');
if (!target) throw new Error('The page has no #app.');

const { lab: slug } = document.documentElement.dataset;
const lab = labs.find((entry) => entry.slug === slug);
mount(Shell, { target, props: { lab } });
answerHost((theme) => pageTheme.ask(theme));
void offline.setUp(lab ? '../../' : './', lab !== undefined);
