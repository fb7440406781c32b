#!/usr/bin/env -S node --max-semi-space-size=4
// Plain JavaScript on purpose: an old Node must be able to read this file in order to be told what is wrong.
void import(new URL('./node-version.js', import.meta.url).href).then(
  () => import(new URL('./program.js', import.meta.url).href),
);
