/** The client alone. The index of the package loads the rest of it, which takes three times as long and 15 MB more. */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici'
}
