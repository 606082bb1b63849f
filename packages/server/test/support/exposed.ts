/** The parsed answer of `/metrics`. */
export interface Exposed {
  families: Map<string, { name: string; type: string; help: string }>
  samples: { name: string; labels: Record<string, string>; value: number }[]
}

/** Reads the text format of Prometheus. */
export function exposed(text: string): Exposed {
  const families: Exposed['families'] = new Map()
  const samples: Exposed['samples'] = []
  for (const line of text.split('\n')) {
    const [, keyword, about = '', words = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (keyword === undefined) {
      const [, name, inside = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      if (name === undefined) continue
      const labels = [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [
        key,
        text,
      ])
      samples.push({ name, labels: Object.fromEntries(labels), value: Number(value) })
      continue
    }
    const known = families.get(about) ?? { name: about, type: '', help: '' }
    families.set(about, { ...known, [keyword.toLowerCase()]: words })
  }
  return { families, samples }
}
