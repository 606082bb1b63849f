/**
 * The fields of a text whose letters the compiler knows, as `readContent` finds them at run time; none of another text. A
 * name that is not known by its letters is left out.
 */
type FieldsOf<
  Text extends string,
  Found extends string = never,
> = Text extends `${infer Before}{${infer Rest}`
  ? Before extends `${string}\\`
    ? FieldsOf<Rest, Found>
    : Rest extends `${infer Name}}${infer After}`
      ? FieldsOf<After, Found | (Record<never, never> extends Record<Name, unknown> ? never : Name)>
      : Found
  : Found

/** The names that some row of a list has: a list may have rows of several kinds. */
type NameIn<Row> = Row extends unknown ? keyof Row : never

type Lacking<Content extends string, Row> = [Row] extends [never]
  ? never
  : Exclude<FieldsOf<Content>, NameIn<Row>>

/**
 * Any list, if each field of the text is in some of its rows. Otherwise a type that no list has, whose property tells the
 * caller why: a mistyped name would have every row refused. A function that is generic in its rows says their type alone,
 * `sendToMany<Row>(…)`, and is not checked.
 */
export type RowsFill<Content extends string, Row> = [Lacking<Content, Row>] extends [never]
  ? unknown
  : { [Name in `no row has the field ${Lacking<Content, Row>}`]: never }
