export { type Reading, readResource, resourceTemplates } from './resources.ts'
