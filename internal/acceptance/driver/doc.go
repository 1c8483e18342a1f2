// Package driver does what Terraform and OpenTofu do with a provider, without either: it makes the calls of the plugin protocol, in
// their order, on a provider server in this process. A command takes milliseconds.
//
// It keeps what they keep. States, private states and identities cross from one command to the next as bytes. Each command starts
// a provider of its own for each provider configuration, and ends it. The walk of a command is parallel, in the order of the references.
//
// Profiles say where the command lines differ. Package commandlines compares the calls of each profile with the real calls.
//
// It refuses what it does not know: blocks, functions and meta-arguments that no test here needs.
//
// It must not know what the provider is about: no resource type, no attribute, no ConfigMap. To it a provider is a schema and its answers.
package driver
