// playwright.config.ts
import { defineConfig } from '@playwright/test'

const { CHROMIUM } = process.env

export default defineConfig({
  testMatch: '*.spec.ts', // the other tests here are for other runners
  use: {
    baseURL: 'http://127.0.0.1:3000',
    // Only where Chromium is not the one of `npx playwright install`.
    launchOptions: CHROMIUM ? { executablePath: CHROMIUM } : {},
  },
  webServer: { command: 'node sign-in.ts', url: 'http://127.0.0.1:3000' },
})
