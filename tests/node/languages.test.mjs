/**
 * What the site says in other languages than English: nothing is missing, nothing is left over, and neither can go stale
 * unnoticed. Messages are keyed by the English text, `t('…')` in the sources.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { siteModule } from './site-module.mjs';

const www = fileURLToPath(new URL('../../www', import.meta.url));
const languages = readdirSync(join(www, 'languages'));
const readJson = (path) => JSON.parse(readFileSync(join(www, path), 'utf8'));
const filesIn = (folder, pattern) =>
  readdirSync(join(www, folder), { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => pattern.test(name))
    .sort();

const { labs, QUESTIONS, VERB_NAMES } = await siteModule('labs/registry.ts');
const { COUNTS, SAME, VERBS } = await siteModule('frame/words.ts');
const { WHOLE_LABS } = await siteModule('lib/whole-labs.ts');

/** The sources by their paths, but for those that the build runs. */
const sources = new Map(
  filesIn('.', /\.(svelte|ts|js)$/)
    .filter((name) => !name.startsWith('build/') && !name.startsWith('languages/'))
    .map((name) => [name, readFileSync(join(www, name), 'utf8')]),
);

/** `t`, and what it is called where that name is taken. */
const CALL = /(?<![\w.$])(?:t|say|translate)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g;

/** The texts that a source has translated, as far as they are written there. */
function textsIn(source) {
  return [...source.matchAll(CALL)].map(([, single, double]) => unescaped(single ?? double));
}

const unescaped = (text) => text.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c));

/** Texts that are translated where they are shown, and written as data. */
const data = [
  ...labs.flatMap(({ title, asks, line, summary }) => [title, asks, line, summary]),
  ...Object.values(QUESTIONS),
  ...Object.values(VERB_NAMES),
  ...VERBS.flatMap((verb) => [verb, `${verb} again`]),
  ...COUNTS,
  ...SAME,
];
const tours = (
  await Promise.all(labs.map(({ slug }) => siteModule(`labs/${slug}/tour.ts`)))
).flatMap(({ tour }) => tour.map(({ say }) => say));

/** Which sources the messages of a file are for. Those of labs that are not whole may have any, and need none. */
const neededBy = (language) => {
  const texts = (pattern) =>
    [...sources].flatMap(([name, source]) => (pattern.test(name) ? textsIn(source) : []));
  const lab = (slug) => texts(new RegExp(`^labs/${slug}/`));
  return [
    { files: ['site'], texts: [...data, ...texts(/^(main|shell|frame|docs|live|lib|pictures)\b/)] },
    { files: ['site', 'tours'], texts: tours },
    { files: ['site', 'course'], texts: texts(/^course\//) },
    ...WHOLE_LABS[language].map((slug) => ({ files: ['site', `labs/${slug}`], texts: lab(slug) })),
  ];
};

const placeholders = (text) => [...text.matchAll(/\{\w+\}|<\/?\w+>/g)].map(String).sort();

for (const language of languages) {
  const folder = `languages/${language}/messages`;
  const files = new Map(
    filesIn(folder, /\.json$/).map((name) => [name.slice(0, -5), readJson(`${folder}/${name}`)]),
  );

  test(`every text has a message: ${language}`, () => {
    for (const { files: names, texts } of neededBy(language)) {
      const known = Object.assign({}, ...names.map((name) => files.get(name) ?? {}));
      const missing = texts.filter((text) => !Object.hasOwn(known, text));
      assert.deepEqual(
        [...new Set(missing)],
        [],
        `add these to www/${folder}/${names.at(-1)}.json`,
      );
    }
  });

  test(`every message is of a text, and has its values and marks: ${language}`, () => {
    const all = [
      ...data,
      ...sources.values(),
      ...tours,
      ...filesIn('build', /\.ts$/).map((name) => readFileSync(join(www, 'build', name), 'utf8')),
    ].join('\n');
    const seen = new Map();
    for (const [name, messages] of files) {
      for (const [english, text] of Object.entries(messages)) {
        const where = `www/${folder}/${name}.json: “${english}”`;
        const written = [english, english.replaceAll('\n', '\\n').replaceAll("'", "\\'")];
        assert.ok(
          written.some((one) => all.includes(one)),
          `${where} is no text any more`,
        );
        assert.deepEqual(placeholders(text), placeholders(english), where);
        assert.ok(text.trim() !== '', where);
        if (name !== 'pages')
          assert.ok(
            !files.get('site')[english] || name === 'site',
            `${where} is in site.json, too`,
          );
        seen.set(english, name);
      }
    }
  });

  test(`labs that are called whole are labs: ${language}`, () => {
    for (const slug of WHOLE_LABS[language]) {
      assert.ok(
        labs.some((lab) => lab.slug === slug),
        slug,
      );
      assert.ok(files.has(`labs/${slug}`), `${slug} has no messages`);
    }
  });
}

/** What has to be the same in a chapter and in its translation, by what to call it. */
function structureOf(markdown) {
  const fences = [...markdown.matchAll(/^```(\S+)([^\n]*)\n([\s\S]*?)^```$/gm)];
  const prose = markdown.replace(/^```js[^\n]*\n[\s\S]*?^```$/gm, '');
  const all = (pattern) => [...prose.matchAll(pattern)].map(([, one]) => one.replace(/\s+/g, ' '));
  // Words within formulas are translated.
  const bare = (tex) => tex.replace(/\\text\{[^}]*\}/g, '');
  return {
    headings: all(/^(#+) /gm),
    figures: fences.filter(([, kind]) => kind === 'figure').map(([, , name]) => name.trim()),
    questions: fences
      .filter(([, kind]) => kind === 'question')
      .map(([, , , body]) => body.match(/^- \[[ x]\]/gm).join(' ')),
    code: fences.filter(([, kind]) => kind === 'js').map(([block]) => block),
    equations: all(/^\$\$([\s\S]*?)\$\$$/gm).map(bare),
    formulas: all(/(?<!\$)\$((?:\\.|[^$\\\n]|\n(?!\n))+?)\$(?![\d$])/g)
      .map(bare)
      .sort(),
    links: all(/\]\(([^)\s]+)\)/g).sort(),
    results: all(/(\{\{[^}]*\}\})/g).sort(),
  };
}

const hashOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);

for (const language of languages) {
  const folder = `languages/${language}/docs`;
  if (!existsSync(join(www, folder))) continue;
  const pages = filesIn(folder, /\.md$/);
  const record = `languages/${language}/translated.json`;

  if (process.argv.includes('--record')) {
    const hashes = pages.map((name) => [name, hashOf(readFileSync(join(www, 'docs', name)))]);
    const text = JSON.stringify(Object.fromEntries(hashes), undefined, 2);
    writeFileSync(join(www, record), `${text}\n`);
  }

  test(`the course is there as a whole: ${language}`, () => {
    assert.deepEqual(pages, filesIn('docs', /^course(\/.*)?\.md$/));
  });

  for (const name of pages) {
    const english = readFileSync(join(www, 'docs', name), 'utf8');

    test(`has the parts of the page in English: www/${folder}/${name}`, () => {
      const text = readFileSync(join(www, folder, name), 'utf8');
      assert.deepEqual(structureOf(text), structureOf(english));
    });

    test(`is a translation of the page as it is: www/${folder}/${name}`, () => {
      assert.equal(
        readJson(record)[name],
        hashOf(english),
        `www/docs/${name} has changed: translate what is new, then node tests/node/languages.test.mjs --record`,
      );
    });
  }
}
