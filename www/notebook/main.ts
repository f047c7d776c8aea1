/** The page of one lab in a notebook. Which lab it is, stands on the root element, from the name of the frame. */
import { mount } from 'svelte';
import { labs } from '../labs/registry.js';
import { answerHost } from '../shell/embedded.js';
import '../shell/styles.css';
import { pageTheme } from '../shell/theme.svelte.js';
import Page from './Page.svelte';

const target = document.getElementById('app');
const lab = labs.find(({ slug }) => slug === document.documentElement.dataset.lab);
if (!target || !lab) throw new Error('The page of the lab is not whole.');

mount(Page, { target, props: { lab } });
answerHost((theme) => pageTheme.ask(theme));
