import type { Markup } from '../../../net/pages/markup.ts'

/** The terms of the filter, and what each finds. */
const TERMS: readonly { term: Markup; finds: Markup }[] = [
  {
    term: <code>to:</code>,
    finds: (
      <>
        one number, <code>to:233241234567</code>; the number alone will do
      </>
    ),
  },
  {
    term: <code>from:</code>,
    finds: (
      <>
        one sender ID, <code>from:MAKOLA</code>
      </>
    ),
  },
  {
    term: <code>by:</code>,
    finds: (
      <>
        who sent it: <code>by:api</code>, <code>by:person</code>, <code>by:assistant</code>, or a part of a
        name, <code>by:ama@example.com</code>; among the newest 5,000
      </>
    ),
  },
  {
    term: <code>reference:</code>,
    finds: (
      <>
        your own reference, in full, <code>reference:order-1042</code>
      </>
    ),
  },
  {
    term: <code>status:</code>,
    finds: (
      <>
        one or more, <code>status:failed,expired</code>; <code>delivered</code> means <code>success</code>
      </>
    ),
  },
  {
    term: (
      <>
        <code>since:</code> <code>until:</code>
      </>
    ),
    finds: (
      <>
        <code>30m</code> <code>6h</code> <code>2d</code> <code>2w</code>, or a day or a time in UTC:{' '}
        <code>2026-11-20</code>
      </>
    ),
  },
  { term: <>a ticket</>, finds: <>opens the message</> },
  {
    term: <>other words</>,
    finds: (
      <>
        in the text or the reference, among the newest messages that match the rest (5,000 of all, 2,000 of a
        status or sender, 1,000 of a number); quotes keep words together
      </>
    ),
  },
]

/** The language of the inbox's filter. */
export function filterTerms(): Markup {
  return (
    <section class="sheet" id="filters">
      <h2>Filters</h2>
      <p class="soft">
        For the field above the list of messages. Terms are combined with <em>and</em>.
      </p>
      <dl class="facts">
        {TERMS.map(({ term, finds }) => (
          <div>
            <dt>{term}</dt>
            <dd>{finds}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
