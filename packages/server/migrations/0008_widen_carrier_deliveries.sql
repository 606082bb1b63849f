-- How messages ended, by the hour in which they did, and how soon after their carrier had taken them.
CREATE TABLE carrier_deliveries (
  carrier TEXT NOT NULL,
  hour BIGINT NOT NULL,
  country TEXT NOT NULL,
  network TEXT NOT NULL,
  success BIGINT NOT NULL,
  undelivered BIGINT NOT NULL,
  expired BIGINT NOT NULL,
  rejected BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  -- Of the delivered ones: within 5 seconds, 30 seconds, 2 minutes, 10 minutes, and later.
  in5s BIGINT NOT NULL,
  in30s BIGINT NOT NULL,
  in2m BIGINT NOT NULL,
  in10m BIGINT NOT NULL,
  later BIGINT NOT NULL,
  PRIMARY KEY (carrier, hour, country, network)
);
CREATE INDEX carrier_deliveries_hour ON carrier_deliveries (hour);
