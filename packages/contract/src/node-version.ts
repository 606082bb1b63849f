/** The oldest Node that runs the gateway and the connector; `engines` in their manifests says the same. */
const NEEDED = [22, 18] as const

/** Says that this Node is too old for a program; undefined when it is not. Without it, an older one fails while loading. */
export function nodeTooOld(program: string, version = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [needed, atLeast] = NEEDED
  if (major > needed || (major === needed && minor >= atLeast)) return undefined
  return `${program} needs Node ${NEEDED.join('.')} or newer; this is Node ${version}. Install a newer one from nodejs.org`
}
