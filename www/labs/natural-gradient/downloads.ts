import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { t } from '../../lib/language.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import type { NaturalGradient } from './natural-gradient.svelte.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: NaturalGradient,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  return [
    {
      label: t('Descents, JSON'),
      detail: t('Settings, paths and divergences, whole'),
      enabled: true,
      save: () => download('natural-gradient.json', descentsJson(lab), 'application/json'),
    },
    {
      label: t('Descents, CSV'),
      detail: t('θ and divergence at every step'),
      enabled: true,
      save: () => download('natural-gradient.csv', descentsCsv(lab), 'text/csv'),
    },
    {
      label: t('Pictures, PNG'),
      detail: t('All pictures on one sheet, as shown'),
      enabled: true,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Natural gradient', colours).then(
          (png) => download('natural-gradient.png', png, 'image/png'),
          onerror,
        );
      },
    },
  ];
}

function descentsJson(lab: NaturalGradient): string {
  const { theta1, theta2, steepest, natural } = lab.settings;
  return JSON.stringify(
    {
      link: lab.link(),
      start: [theta1, theta2],
      stepSizes: { steepest, natural },
      descents: lab.descents.map(({ name, outcome, path, divergences }) => ({
        name,
        outcome,
        path,
        divergences,
      })),
    },
    null,
    1,
  );
}

function descentsCsv(lab: NaturalGradient): string {
  const lines = lab.descents.flatMap(({ name, path, divergences }) =>
    path.map(([first, second], n) => `${name},${n},${first},${second},${divergences[n]}`),
  );
  return `${['descent,step,theta1,theta2,divergence', ...lines].join('\n')}\n`;
}
