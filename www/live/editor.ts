/** The editor, CodeMirror with no more than a short program needs. Loaded when somebody edits. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The colours that code has on the pages. */
const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--ink-soft)' },
  { tag: [tags.string, tags.regexp], color: 'var(--good)' },
  { tag: tags.keyword, color: 'var(--accent)' },
]);

const looks = EditorView.theme({
  '&': {
    // As of the block: both of its elements make it smaller.
    fontSize: '0.766rem',
    backgroundColor: 'var(--sunken)',
    color: 'var(--ink)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', maxHeight: '70vh' },
  '.cm-content': { padding: '0.9rem 0', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-soft)', border: 'none' },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft) !important', color: 'inherit' },
});

/** An editor below an element. Tab leaves it, and Control or Command with Enter runs. */
export function openEditor(
  parent: HTMLElement,
  {
    code,
    language,
    onchange,
    onrun,
  }: {
    code: string;
    language: 'js' | 'ts';
    onchange: (code: string) => void;
    onrun: () => void;
  },
) {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: code,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        javascript({ typescript: language === 'ts' }),
        syntaxHighlighting(colours),
        looks,
        EditorView.contentAttributes.of({ 'aria-label': 'Code' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onchange(update.state.doc.toString());
        }),
        keymap.of([
          {
            key: 'Mod-Enter',
            run: () => {
              onrun();
              return true;
            },
          },
          ...defaultKeymap,
          ...historyKeymap,
        ]),
      ],
    }),
  });
  return {
    focus: () => view.focus(),
    /** Puts another text in place of all. */
    replace(text: string) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    close: () => view.destroy(),
  };
}

export type Editor = ReturnType<typeof openEditor>;
