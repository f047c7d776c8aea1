/**
 * Finds the Chromium the browser tests run in: the one CHROMIUM_PATH names, one installed in the
 * usual places, or, for root on Debian, one installed now. `node src/tools/chromium.mjs` prints it.
 */
import { existsSync } from 'node:fs';
import { canInstall, installDebian, isRoot } from './debian.mjs';
import { Failure, isCI, main, say } from './run.mjs';

/**
 * Chromium without windows and tabs. The engine is the same, and tests of pages take a fifth less time. Its frames share the
 * process of their page.
 */
const SHELL = '/usr/bin/chromium-headless-shell';

const browsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * What no test needs of Chromium: first what Playwright turns off by itself, whose list this one takes the place of,
 * and then the pages behind the address bar, of which every new window would load two.
 */
const features = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];

/** Flags for a browser that tests a local site and talks to nobody. */
export const chromiumFlags = [
  `--disable-features=${features.join(',')}`,
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Chromium refuses to sandbox itself as root.
  ...(isRoot ? ['--no-sandbox'] : []),
];

/** The path of an installed Chromium or Chrome, or undefined. With `whole`, of one that is more than its shell. */
function findChromium({ whole = false } = {}) {
  const given = process.env.CHROMIUM_PATH;
  if (given && !existsSync(given))
    throw new Failure(`CHROMIUM_PATH names ${given}, which does not exist.`);
  if (given && !(whole && given.endsWith('headless-shell'))) return given;
  return (whole ? browsers : [SHELL, ...browsers]).find((path) => existsSync(path));
}

/** As `findChromium`, but where this is root on Debian a missing one is installed. */
export function chromiumPath(kind) {
  const found = findChromium(kind);
  if (found) return found;
  if (canInstall) {
    installChromium();
    const installed = findChromium(kind);
    if (installed) return installed;
  }
  throw new Failure(
    'Chromium is missing: install it (on Debian: apt-get install chromium) or set CHROMIUM_PATH to its path.',
  );
}

function installChromium() {
  say('Installing Chromium from the Debian packages.');
  // A page without any font has no text to test.
  const packages = ['chromium', 'fonts-dejavu-core'];
  const otherwise =
    'Chromium could not be installed: check the network, or install it and set CHROMIUM_PATH.';
  try {
    installDebian([...packages, 'chromium-headless-shell'], otherwise);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say('There may be no package of its shell: trying without.');
    installDebian(packages, otherwise);
  }
}

/** Sees to a Chromium before tests are run; on a build server, to both kinds. */
export function setUpChromium() {
  const hasBoth = existsSync(SHELL) && findChromium({ whole: true });
  if (!hasBoth && isCI && canInstall) installChromium();
  say(`Chromium is ${chromiumPath()}.`);
}

await main(import.meta.url, () => console.log(chromiumPath()));
