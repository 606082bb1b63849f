/**
 * The stylesheet of the pages that `layout` makes: consent, the way back, errors. Inlined in each; the content security policy
 * contains its hash. Console and desk have their own, in `web/`.
 */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --paper: #f5f4f0; --sheet: #ffffff; --ink: #1c2226; --soft: #56616a; --line: #dedbd3; --edge: #7d868d;
  --accent: #0c5a66; --accent-deep: #08454f; --on-accent: #ffffff; --tint: #eaf2f2;
  --danger: #a3271d; --danger-deep: #841d15; --danger-tint: #fcefed; --on-danger: #ffffff;
  --warn: #7a4a00; --warn-tint: #fdf4e1; --warn-line: #d9a441;
  --flag: #ffffff; --flag-heart: #c8321f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181b; --sheet: #1c2226; --ink: #e9ecee; --soft: #a6b0b8; --line: #333b41; --edge: #7f8a93;
    --accent: #7cc7cf; --accent-deep: #9bd6dc; --on-accent: #07282d; --tint: #1f2f33;
    --danger: #f2978c; --danger-deep: #f7b3ab; --danger-tint: #33211f; --on-danger: #3a0d08;
    --warn: #f0c878; --warn-tint: #2e2719; --warn-line: #9a7530;
    --flag: #e9ecee; --flag-heart: #c8321f;
  }
}
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body {
  margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif;
}
.frame { max-width: 33rem; margin: 0 auto; padding: 1.25rem 1rem 3rem }
.top { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; margin-bottom: 1.25rem }
.brand { display: flex; align-items: center; gap: .5rem; font-weight: 600 }
.brand svg { width: 1.5rem; height: 1.5rem; flex: none }
.brand .field { fill: var(--flag); stroke: var(--edge) }
.brand .heart { fill: var(--flag-heart) }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; font-weight: 650 }
h2 { font-size: 1.125rem; line-height: 1.35; margin: 0 0 .375rem; font-weight: 650 }
p { margin: 0 0 .75rem }
.soft { color: var(--soft) }
.small { font-size: .875rem }
.name { color: var(--ink); font-weight: 650 }
code { font: .9375em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace }
a { color: var(--accent); text-underline-offset: .15em }
a:hover { color: var(--accent-deep) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }

.sheet { background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 0 0 1rem }
.sheet > :last-child { margin-bottom: 0 }
.note { border: 1px solid var(--line); border-left-width: .25rem; border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1rem; background: var(--sheet) }
.note > :last-child { margin-bottom: 0 }
.note.warn { background: var(--warn-tint); border-color: var(--warn-line) }
.note.bad { background: var(--danger-tint); border-color: var(--danger) }
.note.good { background: var(--tint); border-color: var(--accent) }
.note strong { font-weight: 650 }

.facts { margin: 0 }
.facts > div { padding: .75rem 0; border-top: 1px solid var(--line) }
.facts > div:first-child { padding-top: 0; border-top: 0 }
.facts > div:last-child { padding-bottom: 0 }
.facts dt { color: var(--soft); font-size: .875rem }
.facts dd { margin: 0 }
.facts dd > :last-child { margin-bottom: 0 }
.facts dd p { margin: .125rem 0 0 }
.facts dd .note { margin: .5rem 0 0 }

fieldset { border: 0; margin: 0; padding: 0; min-width: 0 }
legend { padding: 0; font-size: 1.125rem; font-weight: 650; line-height: 1.35; margin-bottom: .75rem }
label { font-weight: 600 }
.field { margin: 0 0 1.125rem }
.field label { display: block; margin-bottom: .375rem }
.field label:has(+ .hint), .field label:has(+ .wrong) { margin-bottom: .125rem }
.hint { display: block; color: var(--soft); font-size: .875rem; margin-bottom: .375rem }
.wrong { display: block; color: var(--danger); font-weight: 600; font-size: .9375rem; margin-bottom: .375rem }
input, textarea, button { font: inherit }
.box {
  display: block; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: .5rem;
  background: var(--sheet); color: var(--ink);
}
textarea.box { resize: vertical; min-height: 5rem }
.box[aria-invalid] { border: 2px solid var(--danger) }
.box.short { max-width: 11rem }
.amount { display: flex; align-items: stretch; max-width: 14rem }
.amount span {
  display: flex; flex: none; align-items: center; padding: 0 .75rem; border: 1px solid var(--edge); border-right: 0; border-radius: .5rem 0 0 .5rem;
  background: var(--paper); color: var(--soft);
}
.amount .box { border-radius: 0 .5rem .5rem 0; min-width: 0 }

.choice { display: grid; grid-template-columns: auto 1fr; gap: 0 .75rem; padding: .875rem; border: 1px solid var(--edge); border-radius: .5rem; margin: 0 0 .625rem; cursor: pointer; font-weight: inherit }
.choice input { width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; accent-color: var(--accent) }
.choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); background: var(--tint) }
.choice strong { font-weight: 650; display: block }
.choice span span { color: var(--soft); font-size: .9375rem }
.limits { border-top: 1px solid var(--line); margin-top: 1.25rem; padding-top: 1.25rem }
form:has([name=access][value=read]:checked) .limits { display: none }

.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem }
button, .button {
  display: inline-block; min-height: 2.75rem; padding: .5rem 1.25rem; border-radius: .5rem; border: 1px solid var(--accent);
  background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer; text-align: center; text-decoration: none;
}
button:hover, .button:hover { background: var(--accent-deep); border-color: var(--accent-deep); color: var(--on-accent) }
button.second { background: transparent; color: var(--ink); border-color: var(--edge) }
button.second:hover { background: var(--tint) }
button.danger { background: var(--danger); border-color: var(--danger); color: var(--on-danger) }
button.danger:hover { background: var(--danger-deep); border-color: var(--danger-deep) }
button.link { min-height: 1.5rem; padding: .125rem 0; border: 0; border-radius: .25rem; background: none; color: var(--accent); font-weight: inherit; text-decoration: underline; text-underline-offset: .15em; text-align: left }
button.link:hover { color: var(--accent-deep) }
button.full { width: 100% }
.buttons.pair button { flex: 1 1 9rem }

@media (min-width: 40rem) {
  .frame { padding-top: 2.5rem }
  .sheet { padding: 1.75rem }
  .facts > div { display: grid; grid-template-columns: 9.5rem 1fr; gap: 0 1rem }
  .facts dt { font-size: 1rem }
  .side { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1.25rem; align-items: end }
}
`
