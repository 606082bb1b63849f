/** The cells of a file, line by line, as a spreadsheet reads them. */
export function csvRows(text: string): string[][] {
  const lines = text.split('\r\n')
  if (lines.pop() !== '') throw new Error('a file ends with the end of a line')
  return lines.map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) =>
      quoted === undefined ? plain : quoted.replaceAll('""', '"'),
    ),
  )
}
