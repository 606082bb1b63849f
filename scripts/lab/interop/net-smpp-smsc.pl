#!/usr/bin/perl
# A carrier made of Debian's Net::SMPP, which shares no code with ours: perl net-smpp-smsc.pl PORT
# Prints an event a line, with fields of the form name=value; texts are in hex.
# A recipient that ends in 71 is throttled the first time. At the second part of a message to one that ends in 72 it
# hangs up without an answer.
use strict;
use warnings;
use Net::SMPP;

$| = 1;
my ($port) = @ARGV;
my $server = Net::SMPP->new_listen('127.0.0.1', port => $port, reuse => 1, smpp_version => 0x34)
  or die "cannot listen on $port: $!";
print "ready\n";

# Hex in answers and decimal in receipts, with leading zeros. By the time, so that a restart gives no id twice.
my $last_id = time() * 1000;
my %throttled;

while (1) {
  my $link = $server->accept or die "accept: $!";
  serve($link);
  close $link;
}

sub serve {
  my ($link) = @_;
  while (my $pdu = $link->read_pdu) {
    my $command = $pdu->{cmd};
    if ($command == Net::SMPP::CMD_bind_transceiver) {
      print "bind user=$pdu->{system_id} password=$pdu->{password}\n";
      $link->bind_transceiver_resp(seq => $pdu->{seq}, status => 0, system_id => 'perl');
    } elsif ($command == Net::SMPP::CMD_submit_sm) {
      submitted($link, $pdu) or return;
    } elsif ($command == Net::SMPP::CMD_deliver_sm_resp) {
      print "acknowledged status=$pdu->{status}\n";
    } elsif ($command == Net::SMPP::CMD_enquire_link) {
      $link->enquire_link_resp(seq => $pdu->{seq}, status => 0);
    } elsif ($command == Net::SMPP::CMD_unbind) {
      print "unbind\n";
      $link->unbind_resp(seq => $pdu->{seq}, status => 0);
      return;
    }
  }
  print "end\n";
}

# False when it has hung up.
sub submitted {
  my ($link, $pdu) = @_;
  my $to = $pdu->{destination_addr};
  if ($to =~ /71$/ && !$throttled{$to}++) {
    print "throttled to=$to\n";
    $link->submit_sm_resp(seq => $pdu->{seq}, status => Net::SMPP::ESME_RTHROTTLED, message_id => '');
    return 1;
  }
  my $text = $pdu->{short_message};
  my ($part, $of) = (1, 1);
  if ($pdu->{esm_class} & 0x40) {
    my $length = ord($text) + 1;
    ($of, $part) = unpack('x4CC', substr($text, 0, $length));
    $text = substr($text, $length);
  }
  printf "taken to=%s from=%s coding=%d part=%d of=%d text=%s\n",
    $to, $pdu->{source_addr}, $pdu->{data_coding}, $part, $of, unpack('H*', $text);
  if ($to =~ /72$/ && $part == 2) {
    print "hung up\n";
    return 0;
  }
  my $id = ++$last_id;
  $link->submit_sm_resp(seq => $pdu->{seq}, status => 0, message_id => sprintf('%012X', $id));
  $link->deliver_sm(
    async => 1,
    source_addr => $to,
    destination_addr => $pdu->{source_addr},
    esm_class => 4,
    short_message => "id:$id sub:001 dlvrd:001 submit date:2601010000 done date:2601010001 stat:DELIVRD err:000 text:",
  );
  return 1;
}
