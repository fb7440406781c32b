#!/bin/sh
# Runs `sitehand` with the settings and the user of sitehand.service. Install it as /usr/local/bin/sitehand; root may run it.
exec systemd-run --quiet --pipe --wait -p DynamicUser=yes -p User=sitehand -p StateDirectory=sitehand \
  -p StateDirectoryMode=0700 -p EnvironmentFile=/etc/sitehand/sitehand.env -p WorkingDirectory=/etc/sitehand \
  /usr/bin/node /opt/sitehand/sitehand.js "$@"
