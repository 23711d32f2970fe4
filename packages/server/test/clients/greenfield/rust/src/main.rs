//! Sells, is paid and refunds with the crate btcpay-client. Prints each step.

use btcpay_client::apis::configuration::{ApiKey, Configuration};
use btcpay_client::apis::{
    invoices_api, pull_payments_management_api, webhooks_api, Error as ApiError,
};
use btcpay_client::models::{
    CreateInvoiceRequest, InvoiceMetadata, PullPaymentsCreatePullPaymentRequest,
    WebhookDataBaseAuthorizedEvents, WebhookDataCreate,
};
use std::{env, error::Error, thread, time::Duration};

const POLL: Duration = Duration::from_millis(100);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let store = env::var("GREENFIELD_STORE")?;
    let configuration = Configuration {
        base_path: env::var("GREENFIELD_URL")?,
        api_key: Some(ApiKey {
            prefix: Some("token".into()),
            key: env::var("GREENFIELD_KEY")?,
        }),
        ..Configuration::default()
    };

    let webhook = webhooks_api::webhooks_create_webhook(
        &configuration,
        &store,
        WebhookDataCreate {
            url: Some(env::var("GREENFIELD_HOOK")?),
            authorized_events: Some(Box::new(WebhookDataBaseAuthorizedEvents {
                everything: Some(true),
                ..Default::default()
            })),
            ..Default::default()
        },
    )
    .await?;
    println!("webhook {}", webhook.secret.unwrap_or_default());

    let invoice = invoices_api::invoices_create_invoice(
        &configuration,
        &store,
        CreateInvoiceRequest {
            amount: Some("12.34".into()),
            currency: Some("EUR".into()),
            metadata: Some(Box::new(InvoiceMetadata {
                order_id: Some("rust-1".into()),
                ..Default::default()
            })),
            ..Default::default()
        },
    )
    .await?;
    let id = invoice.id.unwrap_or_default();
    println!("invoice {id} {}", invoice.checkout_link.unwrap_or_default());

    let mut last = String::new();
    while last != "Settled" {
        let read = invoices_api::invoices_get_invoice(&configuration, &store, &id).await?;
        let status = read
            .status
            .map(|status| status.to_string())
            .unwrap_or_default();
        if status != last {
            println!("status {status}");
        }
        last = status;
        thread::sleep(POLL);
    }
    let methods =
        invoices_api::invoices_get_invoice_payment_methods(&configuration, &store, &id, None)
            .await?;
    for payment in methods
        .into_iter()
        .flat_map(|method| method.payments.unwrap_or_default())
    {
        println!("paid {}", payment.value.unwrap_or_default());
    }

    // The crate takes BOLT11Expiration for text, where BTCPay answers a number, and cannot read the answer.
    match pull_payments_management_api::pull_payments_create_pull_payment(
        &configuration,
        &store,
        Some(PullPaymentsCreatePullPaymentRequest {
            name: Some("Refund of order rust-1".into()),
            amount: Some("5".into()),
            currency: Some("EUR".into()),
            payment_methods: Some(vec!["ZEC".into()]),
            ..Default::default()
        }),
    )
    .await
    {
        Ok(refund) => println!("refund {}", refund.view_link.unwrap_or_default()),
        Err(ApiError::Serde(_)) => println!("refund unreadable"),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
