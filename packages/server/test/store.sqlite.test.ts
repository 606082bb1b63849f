import { storeSuite } from './store.suite.ts'

storeSuite('an SQLite file')
storeSuite('SQLite in memory')
