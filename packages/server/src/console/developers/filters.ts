import { type Markup, markup } from '../../platform/pages/markup.ts'

/** The terms of the filter, and what each finds. */
const TERMS: readonly { term: Markup; finds: Markup }[] = [
  {
    term: markup`<code>to:</code>`,
    finds: markup`one number, <code>to:233241234567</code>; the number alone will do`,
  },
  { term: markup`<code>from:</code>`, finds: markup`one sender ID, <code>from:MAKOLA</code>` },
  {
    term: markup`<code>by:</code>`,
    finds: markup`who sent it: <code>by:api</code>, <code>by:person</code>, <code>by:assistant</code>, or a part of a name, <code>by:ama@example.com</code>; among the newest 5,000`,
  },
  {
    term: markup`<code>reference:</code>`,
    finds: markup`your own reference, in full, <code>reference:order-1042</code>`,
  },
  {
    term: markup`<code>status:</code>`,
    finds: markup`one or more, <code>status:failed,expired</code>; <code>delivered</code> means <code>success</code>`,
  },
  {
    term: markup`<code>since:</code> <code>until:</code>`,
    finds: markup`<code>30m</code> <code>6h</code> <code>2d</code> <code>2w</code>, or a day or a time in UTC: <code>2026-11-20</code>`,
  },
  { term: markup`a ticket`, finds: markup`opens the message` },
  {
    term: markup`other words`,
    finds: markup`in the text or the reference, among the newest messages that match the rest (5,000 of all, 2,000 of a status or sender, 1,000 of a number); quotes keep words together`,
  },
]

/** The language of the inbox's filter. */
export function filterTerms(): Markup {
  return markup`<section class="sheet" id="filters"><h2>Filters</h2><p class="soft">For the field above the list of messages. Terms are combined with <em>and</em>.</p><dl class="facts">${TERMS.map(({ term, finds }) => markup`<div><dt>${term}</dt><dd>${finds}</dd></div>`)}</dl></section>`
}
