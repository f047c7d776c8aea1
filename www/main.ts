import { mount } from 'svelte';
import { labs } from './labs/registry.js';
import { answerHost } from './shell/embedded.js';
import Shell from './shell/Shell.svelte';
import './shell/styles.css';
import { pageTheme } from './shell/theme.svelte.js';

const target = document.getElementById('app');
if (!target) throw new Error('The page has no #app.');

const { lab: slug } = document.documentElement.dataset;
mount(Shell, { target, props: { lab: labs.find((lab) => lab.slug === slug) } });
answerHost((theme) => pageTheme.ask(theme));
